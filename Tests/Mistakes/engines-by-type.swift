// A prototype of several engines, each with a global actor of its own; see
// docs/internals/decisions/one-engine-thread.md. An actor that is a parameter of a type can't isolate it.

@globalActor actor FirstEngine { static let shared = FirstEngine() }
@globalActor actor SecondEngine { static let shared = SecondEngine() }

final class LoadedResource<Loop: GlobalActor> {
    @Loop var latestData: String? { nil }  // unknown attribute 'Loop'
}
