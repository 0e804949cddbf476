import Synchronization

/// The secrets of this process: texts that are hidden wherever they occur, and names whose values are hidden.
/// It is global, because logs, errors and recordings that show secrets share nothing else (rules 47). Safe on
/// any thread.
final class KnownSecrets: Sendable {
    static let shared = KnownSecrets()

    /// A shorter text would occur everywhere.
    static let fewestBytes = 6
    /// The limit for one text; output is cut long before that size.
    static let mostBytes = 64 << 10
    /// The number of texts that are added at run time, such as renewed tokens; beyond it the oldest is
    /// forgotten.
    static let mostRecent = 1000

    private struct State {
        /// Texts from the environment and the settings, which are never forgotten.
        var fixed: Set<String> = []
        var recent: [String] = []
        /// Names in lower case; true if secret.
        var names: [String: Bool] = [:]
    }

    private let state = Mutex(State())
    private let search = Mutex(SecretSearch([]))
    /// Whether there are texts to search for. Checked first, because most programs have no secrets.
    private let hasTexts = Atomic(false)
    private let hasNames = Atomic(false)

    /// False for a text that is too short or too long to be hidden.
    func hide(_ text: String, isFixed: Bool) -> Bool {
        guard (Self.fewestBytes...Self.mostBytes).contains(text.utf8.count) else { return false }
        let texts: [String]? = state.withLock { state in
            if state.fixed.contains(text) { return nil }
            if let known = state.recent.firstIndex(of: text) {
                // A text that is added again becomes the newest.
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

    /// The setting for a name in lower case; nil without one.
    func decision(onName name: String) -> Bool? {
        knowsNames ? state.withLock { $0.names[name] } : nil
    }

    /// Whether the settings list any names.
    var knowsNames: Bool { hasNames.load(ordering: .acquiring) }

    /// Nil when there is nothing to hide in the bytes.
    func masked(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard hasTexts.load(ordering: .acquiring) else { return nil }
        return search.withLock { $0 }.masked(bytes)
    }
}
