import RestEngine

/// Runs an action once.
@EngineActor
final class Once {
    private var action: (@EngineActor () -> Void)?

    init(_ action: @escaping @EngineActor () -> Void) { self.action = action }

    func run() {
        action?()
        action = nil
    }
}
