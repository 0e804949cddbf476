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
    /// The limit for the bytes of these texts in all their forms, of which a text has about nine (limit
    /// L314). The newest text stays in any case.
    static let mostRecentBytes = 32 << 20

    private struct Recent {
        let text: String
        /// The forms in which it is searched for.
        let needles: [[UInt8]]

        var bytes: Int { needles.reduce(0) { $0 + $1.count + 64 } }
    }

    private struct State {
        /// Texts from the environment and the settings, which are never forgotten.
        var fixed: Set<String> = []
        var recent: [Recent] = []
        var recentBytes = 0
        /// Names in lower case; true if secret.
        var names: [String: Bool] = [:]

        /// A text that is added again becomes the newest.
        mutating func knows(_ text: String) -> Bool {
            if fixed.contains(text) { return true }
            guard let known = recent.firstIndex(where: { $0.text == text }) else { return false }
            recent.append(recent.remove(at: known))
            return true
        }

        /// Returns the forms of the texts that are forgotten for it.
        mutating func add(_ new: Recent, within bytes: Int) -> [[UInt8]] {
            recent.append(new)
            recentBytes += new.bytes
            var gone: [[UInt8]] = []
            while recent.count > KnownSecrets.mostRecent || recentBytes > bytes && recent.count > 1 {
                let oldest = recent.removeFirst()
                recentBytes -= oldest.bytes
                gone += oldest.needles
            }
            return gone
        }
    }

    private let recentBytes: Int
    private let state = Mutex(State())
    private let search = Mutex(SecretSearch(ofAtLeast: fewestBytes))
    /// Whether there are texts to search for. Checked first, because most programs have no secrets.
    private let hasTexts = Atomic(false)
    private let hasNames = Atomic(false)

    init(recentBytes: Int = KnownSecrets.mostRecentBytes) { self.recentBytes = recentBytes }

    /// False for a text that is too short or too long to be hidden.
    func hide(_ text: String, isFixed: Bool) -> Bool {
        guard (Self.fewestBytes...Self.mostBytes).contains(text.utf8.count) else { return false }
        if state.withLock({ $0.knows(text) }) { return true }
        // A script may call this often, so a new text costs the same however many there are.
        let needles = SecretSearch.needles(of: text)
        state.withLock { state in
            var gone: [[UInt8]] = []
            if isFixed {
                state.fixed.insert(text)
            } else {
                gone = state.add(Recent(text: text, needles: needles), within: recentBytes)
            }
            search.withLock { search in
                search.remove(gone)
                search.add(needles)
            }
        }
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
