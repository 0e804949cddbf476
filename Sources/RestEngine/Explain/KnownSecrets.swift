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
    func verdict(onName name: String) -> Bool? {
        hasNames.load(ordering: .acquiring) ? state.withLock { $0.names[name] } : nil
    }

    /// There are texts to be found.
    var hasAny: Bool { hasTexts.load(ordering: .acquiring) }

    /// Nil when there is nothing to hide in it.
    func masked(_ bytes: [UInt8]) -> [UInt8]? {
        guard hasAny else { return nil }
        return search.withLock { $0 }.masked(bytes)
    }
}

/// Finds any of many texts in one pass.
struct SecretSearch: Sendable {
    /// By their first byte, the longest first: one may be a part of another.
    private var needles: [[[UInt8]]]

    init(_ texts: [String]) { self.init(exactly: texts.flatMap(Self.forms)) }

    /// Finds them as they are, and in no other form.
    init(exactly texts: some Sequence<String>) {
        needles = Array(repeating: [], count: 256)
        for needle in Set(texts.map { Array($0.utf8) }) where !needle.isEmpty {
            needles[Int(needle[0])].append(needle)
        }
        for first in needles.indices { needles[first].sort { $0.count > $1.count } }
    }

    /// What a text may look like where it is shown: escaped for a URL, for JSON and log lines, for a shell,
    /// in base64, and the lines of one that has several, as a key in PEM.
    private static func forms(_ text: String) -> [String] {
        var forms = [
            text, PercentEncoding.component(Array(text.utf8)), PercentEncoding.parameter(text),
            PercentEncoding.path(text), PercentEncoding.form(text), text.onOneLine,
            text.replacing("'", with: "'\\''"),
        ]
        if let json = try? Tree(text).json() {
            forms.append(String(decoding: json.dropFirst().dropLast(), as: UTF8.self))
        }
        forms.append(Base64.encode(Array(text.utf8)))
        if text.utf8.contains(UInt8(ascii: "\n")) {
            forms += text.split(whereSeparator: \.isNewline).map(String.init)
                .filter { $0.utf8.count >= 16 && !$0.hasPrefix("-----") }
        }
        return forms.filter { $0.utf8.count >= KnownSecrets.fewestBytes }
    }

    /// Nil when none of them is there.
    func masked(_ bytes: [UInt8]) -> [UInt8]? {
        var shown: [UInt8] = []
        var copied = 0
        var place = 0
        while place < bytes.count {
            let found = needles[Int(bytes[place])].first { bytes[place...].starts(with: $0) }
            guard let found else {
                place += 1
                continue
            }
            shown += bytes[copied..<place]
            shown += SecretMask.text.utf8
            place += found.count
            copied = place
        }
        guard copied > 0 else { return nil }
        shown += bytes[copied...]
        return shown
    }
}
