import Platform

/// The engine's log: text by category, evaluated only when the category is on (rules 26).
@EngineActor
public final class EngineLog {
    /// The subject of a line (26.1).
    public enum Category: String, Sendable, CaseIterable {
        /// Requests that start, end and are cancelled.
        case network
        /// Messages, attempts, connections, and answers that come too late.
        case networkDetails = "network_details"
        /// The steps of the pipeline.
        case pipeline
        /// The events of resources.
        case stateChanges = "state_changes"
        /// Observers that come and go.
        case observers
        /// Why a resource is up to date, or is not.
        case staleness
        /// Operations of caches.
        case cache
        /// Blocks that run, and configurations that are made anew.
        case configuration
        /// Messages that need attention; always on.
        case warning
    }

    /// Categories that are on; may be changed at any time (26.2).
    public var enabled: Set<Category> {
        get { categories }
        set { categories = newValue }
    }
    // Read for each line. The compiler sees all accesses to a private property, so it needs no exclusivity
    // checks at run time.
    private var categories: Set<Category> = []
    /// Gets each line; the default writes warnings to standard error and drops the rest (26.3).
    public var handler: @EngineActor (Category, String) -> Void = { category, text in
        guard category == .warning else { return }
        let line = Array("warning: \(text)\n".utf8)
        _ = Platform.write(STDERR_FILENO, line, line.count)
    }

    /// A log that writes warnings to standard error.
    public init() {}

    /// Writes to a category. Programs and transformers may use the engine's categories (26.6). `text` is not
    /// evaluated when the category is off (26.4). Secrets of the URLs in it are masked (SECURITY.md).
    public func write(_ category: Category, _ text: @autoclosure () -> String) {
        guard category == .warning || (!categories.isEmpty && categories.contains(category)) else { return }
        handler(category, SecretMask.standard.line(text()))
    }
}

extension Engine {
    /// Logs the result of a message that was sent.
    func note(_ outcome: @autoclosure () -> String, _ step: Redirect.RequestStep, since start: Double) {
        var milliseconds: Int { Int(((scheduler.now - start) * 1000).rounded()) }
        log.write(.network, "\(outcome()) \(step.method) \(step.url) in \(milliseconds) ms")
    }
}

extension EngineLog.Category {
    /// The categories that can be turned on and off.
    package static let optional = allCases.filter { $0 != .warning }

    /// A set of categories by name: `none`, `common`, `detailed`, `all` (26.2), or the name of a single
    /// category. Nil for another name.
    package static func set(named name: String) -> Set<EngineLog.Category>? {
        switch name {
        case "none": []
        case "common": [.network, .stateChanges, .staleness]
        case "detailed": Set(optional).subtracting([.networkDetails])
        case "all": Set(optional)
        default: optional.first { $0.rawValue == name }.map { [$0] }
        }
    }

    /// All names that ``set(named:)`` accepts, sets first.
    package static let setNames = ["none", "common", "detailed", "all"] + optional.map(\.rawValue)
}

extension ResolvedConfiguration {
    /// The result of the blocks, for the log (rule 26.7). Values of headers may be secret, so only names are
    /// included.
    func summary(names: [String]) -> String {
        let configuration = self.configuration
        var lines = [names.isEmpty ? "no blocks" : names.joined(separator: " → ")]
        lines.append(
            "expires after \(configuration.expirationSeconds) s, retries after \(configuration.retrySeconds) s"
        )
        let headers = configuration.headers.fields.map(\.name)
        if !headers.isEmpty { lines.append("headers: " + headers.joined(separator: ", ")) }
        if !configuration.mutators.isEmpty { lines.append("mutators: \(configuration.mutators.count)") }
        if !configuration.decorators.isEmpty { lines.append("decorators: \(configuration.decorators.count)") }
        for name in configuration.pipeline.order where !configuration.pipeline[name].isEmpty {
            lines.append("\(name): " + configuration.pipeline[name].summary)
        }
        if let failure { lines.append("failed: \(failure)") }
        return lines.joined(separator: "\n  ")
    }
}

extension PipelineStage {
    fileprivate var summary: String {
        let steps = steps.map { step in
            step.contentTypes.map {
                "\(step.transformer.description) (\($0.patterns.joined(separator: ", ")))"
            }
                ?? step.transformer.description
        }
        return (steps + (cache.map { ["kept in \($0.description)"] } ?? [])).joined(separator: ", ")
    }
}

extension Response {
    /// One line about a response, for the log (rule 26.7).
    var summary: String {
        switch self {
        case .success(let entity): entity.summary
        case .failure(let error): "\(error)"
        }
    }
}

extension Entity {
    var summary: String { "\(content.summary), \(contentType)" }
}

extension Content {
    /// Kind and size, never the content itself: it may be large, secret, or different from its declared type
    /// (26.5).
    var summary: String {
        switch self {
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .text(let text): "text of \(text.utf8.count) bytes"
        case .json(let tree), .value(let tree): "\(tree.kind) of \(tree.byteCount) bytes"
        case .image(let image): "\(image.width)×\(image.height) image"
        case .native(let value): "\(Swift.type(of: value))"
        }
    }
}
