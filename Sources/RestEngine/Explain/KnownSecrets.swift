import Synchronization

/// The secrets of this process: texts that are hidden wherever they stand, and names whose values are. What
/// shows them, a log, an error, a recording, has no other place in common (rules 47). Safe on any thread.
final class KnownSecrets: Sendable {
    static let shared = KnownSecrets()

    /// A shorter text would be found everywhere.
    static let fewestBytes = 6
    /// Of one text; beyond it whatever wrote it down is cut long before.
    static let mostBytes = 64 << 10
    /// Texts that came while the program runs, such as tokens that are renewed; the oldest of more goes.
    static let mostRecent = 1000

    private struct State {
        /// Of the environment and the settings: they stay.
        var fixed: Set<String> = []
        var recent: [String] = []
        /// In lower case; true is secret.
        var names: [String: Bool] = [:]
    }

    private let state = Mutex(State())
    private let search = Mutex(SecretSearch([]))
    /// The search would find something; looked at first, for most programs have no secrets.
    private let hasTexts = Atomic(false)
    private let hasNames = Atomic(false)

    /// False for a text that is too short or too long to be hidden.
    func hide(_ text: String, isFixed: Bool) -> Bool {
        guard (Self.fewestBytes...Self.mostBytes).contains(text.utf8.count) else { return false }
        let texts: [String]? = state.withLock { state in
            if state.fixed.contains(text) { return nil }
            if let known = state.recent.firstIndex(of: text) {
                // The last that was given goes last.
                state.recent.append(state.recent.remove(at: known))
                return nil
            }
            if isFixed { state.fixed.insert(text) } else { state.recent.append(text) }
            if state.recent.count > Self.mostRecent { state.recent.removeFirst() }
            return state.fixed + state.recent
        }
        guard let texts else { return true }
        let search = SecretSearch(texts)
        self.search.withLock { $0 = search }
        hasTexts.store(true, ordering: .releasing)
        return true
    }

    func hide(names: [String]) { note(names) { $0[$1] = true } }

    func show(names: [String]) { note(names) { $0[$1] = $0[$1] ?? false } }

    private func note(_ names: [String], _ note: (inout [String: Bool], String) -> Void) {
        guard !names.isEmpty else { return }
        state.withLock { state in
            for name in names { note(&state.names, name.lowercased()) }
        }
        hasNames.store(true, ordering: .releasing)
    }

    /// What the settings say of a name in lower case; nil for nothing.
    func decision(onName name: String) -> Bool? {
        knowsNames ? state.withLock { $0.names[name] } : nil
    }

    /// The settings say something of names.
    var knowsNames: Bool { hasNames.load(ordering: .acquiring) }

    /// Nil when there is nothing to hide in it.
    func masked(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard hasTexts.load(ordering: .acquiring) else { return nil }
        return search.withLock { $0 }.masked(bytes)
    }
}
