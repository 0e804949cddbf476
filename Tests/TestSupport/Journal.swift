public import RestEngine

/// The events of a test, line by line.
@EngineActor
public final class Journal {
    public private(set) var lines: [String] = []

    public init() {}

    public func note(_ line: String) { lines.append(line) }

    /// Returns the lines so far, and forgets them.
    public func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    /// Notes each hook of a request: `name completion`, `name success`, ….
    @discardableResult
    public func follow(_ request: Request, _ name: String = "") -> Request {
        let prefix = name.isEmpty ? "" : name + " "
        return
            request
            .onCompletion { self.note(prefix + ($0.isCancellation ? "cancellation" : "completion")) }
            .onSuccess { self.note(prefix + "success \($0.content.text ?? $0.content.kind)") }
            .onNewData { _ in self.note(prefix + "new_data") }
            .onNotModified { self.note(prefix + "not_modified") }
            .onFailure { self.note(prefix + "failure \($0.userMessage)") }
    }
}

extension EngineFixture {
    /// Notes the events of all resources as `path event`.
    public func noteEvents(in journal: Journal) {
        engine.log.enabled = [.stateChanges]
        let base = service.baseURL?.description ?? ""
        engine.log.handler = { category, text in
            guard category == .stateChanges else { return }
            journal.note(text.hasPrefix(base) ? String(text.dropFirst(base.count)) : text)
        }
    }
}
