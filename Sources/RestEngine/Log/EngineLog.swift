/// The engine's log: text by category, made only when somebody listens to the category (siesta-semantics 26).
@EngineActor
public final class EngineLog {
    public enum Category: String, Sendable, CaseIterable {
        case network
        case networkDetails = "network_details"
        case pipeline
        case stateChanges = "state_changes"
        case observers, staleness, cache, configuration
        /// What somebody should look at; always on.
        case warning
    }

    public var enabled: Set<Category> = []
    public var handler: @EngineActor (Category, String) -> Void = { _, _ in }

    public init() {}

    public func write(_ category: Category, _ text: @autoclosure () -> String) {
        guard category == .warning || (!enabled.isEmpty && enabled.contains(category)) else { return }
        handler(category, text())
    }
}
