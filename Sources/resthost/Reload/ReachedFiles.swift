import RestEngine

/// The files that one generation has been read from so far.
@EngineActor
final class ReachedFiles {
    private(set) var paths: Set<String> = []
    var onAddition: (@EngineActor () -> Void)?

    nonisolated init() {}

    func add(_ path: String) {
        if paths.insert(path).inserted { onAddition?() }
    }

    func add(_ more: Set<String>) { paths.formUnion(more) }
}
