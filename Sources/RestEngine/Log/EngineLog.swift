/// The engine's log: text by category, made only when somebody listens to the category (rules 26).
@EngineActor
public final class EngineLog {
    /// What a line is about (26.1).
    public enum Category: String, Sendable, CaseIterable {
        case network
        case networkDetails = "network_details"
        case pipeline
        case stateChanges = "state_changes"
        case observers, staleness, cache, configuration
        /// What somebody should look at; always on.
        case warning
    }

    /// Categories that are on; may be changed at any time (26.2).
    public var enabled: Set<Category> = []
    /// Gets each line; the default drops it (26.3).
    public var handler: @EngineActor (Category, String) -> Void = { _, _ in }

    /// A log that drops everything.
    public init() {}

    /// Writes to a category. A program or a transformer may use the engine's own (26.6). `text` is not evaluated when
    /// the category is off (26.4). Secrets of the URLs in it are masked (SECURITY.md).
    public func write(_ category: Category, _ text: @autoclosure () -> String) {
        guard category == .warning || (!enabled.isEmpty && enabled.contains(category)) else { return }
        handler(category, SecretMask.standard.line(text()))
    }
}

extension EngineLog.Category {
    /// Those that can be turned on and off.
    public static let optional = allCases.filter { $0 != .warning }

    /// Sets of categories by name: `none`, `common`, `detailed`, `all` (26.2), or a category's own name. Nil for
    /// another name.
    public static func set(named name: String) -> Set<EngineLog.Category>? {
        switch name {
        case "none": []
        case "common": [.network, .stateChanges, .staleness]
        case "detailed": Set(optional).subtracting([.networkDetails])
        case "all": Set(optional)
        default: optional.first { $0.rawValue == name }.map { [$0] }
        }
    }

    /// What ``set(named:)`` knows.
    public static let setNames = ["none", "common", "detailed", "all"] + optional.map(\.rawValue)
}
