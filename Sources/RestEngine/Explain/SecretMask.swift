/// The one place that decides what is secret in what people and programs are shown: values of headers, of URL
/// parameters and of fields with a secret's name, a URL's password, and texts that were said to be secret
/// (rules 47, SECURITY.md).
public struct SecretMask: Sendable {
    /// What stands for a secret.
    public static let text = "***"
    /// The mask that knows the usual names.
    public static let standard = SecretMask()

    /// Further headers and parameters that are secret, by name; case doesn't matter.
    public var names: Set<String> = []
    /// Texts that are secret wherever they stand.
    public var values: Set<String> = [] {
        didSet { search = values.isEmpty ? nil : SecretSearch(exactly: values) }
    }
    private var search: SecretSearch?

    public init() {}

    private static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie",
    ]

    /// Whether what has this name, a header, a parameter or a field, is secret.
    public func hides(_ name: String) -> Bool {
        let lower = name.lowercased()
        if Self.headers.contains(lower) || names.contains(where: { $0.lowercased() == lower }) { return true }
        return KnownSecrets.shared.verdict(onName: lower) ?? SecretNames.have(lower)
    }

    /// A header's value as it may be shown. Of credentials the scheme stays: `Bearer ***` (RFC 9110 11.4).
    public func header(_ name: String, _ value: String) -> String {
        guard hides(name) else { return parameters(line(value)) }
        let lower = name.lowercased()
        guard lower == "authorization" || lower == "proxy-authorization",
            let space = value.utf8.firstIndex(of: UInt8(ascii: " ")), space > value.startIndex
        else { return Self.text }
        return value[..<space] + " " + Self.text
    }

    /// A URL without the password and the values of secret parameters.
    public func url(_ url: String) -> String {
        var shown = url
        if let colon = shown.firstRange(of: "://") {
            let rest = shown[colon.upperBound...]
            let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
            if let at = rest[..<end].lastIndex(of: "@") {
                shown.replaceSubrange(colon.upperBound..<at, with: Self.text)
            }
        }
        guard let mark = shown.firstIndex(of: "?") else { return text(shown) }
        let head = shown[...mark]
        let tail = shown[shown.index(after: mark)...]
        let query = tail.prefix { $0 != "#" }
        let pieces = query.split(separator: "&", omittingEmptySubsequences: false).map { piece in
            guard let equals = piece.firstIndex(of: "=") else { return String(piece) }
            let name = String(piece[..<equals])
            let isCode = Self.isCode(name.utf8, of: piece[equals...].utf8.count - 1)
            return isCode || hides(PercentEncoding.decode(name) ?? name)
                ? "\(name)=\(Self.text)" : String(piece)
        }
        return text(head + pieces.joined(separator: "&") + tail.dropFirst(query.count))
    }

    /// OAuth's `code`, which is as good as a token (RFC 6749 4.1.2), has no name of its own: those that tell
    /// of an error or a country are shorter.
    static func isCode(_ name: some Sequence<UInt8>, of bytes: Int) -> Bool {
        bytes >= 16 && name.elementsEqual("code".utf8)
    }

    /// A text without the values of secret parameters of URLs, relative ones as well.
    private func parameters(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
        var scan = SecretScan(Array(text.utf8), .inURLs, hidingBy: self)
        return scan.masked().map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// A text with ``url(_:)`` applied to each URL in it, as lines of a log have them.
    public func line(_ line: String) -> String {
        // Most lines have no URL, and looking for one by characters takes long.
        guard line.utf8.contains(UInt8(ascii: ":")), hasURL(line.utf8) else { return text(line) }
        var shown = ""
        var rest = line[...]
        while let colon = rest.firstRange(of: "://") {
            let end = rest[colon.upperBound...].firstIndex { Self.endsURL($0) } ?? rest.endIndex
            let start = rest[..<colon.lowerBound].lastIndex { !Self.isInScheme($0) }
                .map { rest.index(after: $0) }
            let scheme = start ?? rest.startIndex
            // What ends a part of a sentence ends no URL.
            let token = rest[scheme..<end]
            let shownURL = token.dropLast(token.reversed().prefix { ".,:;)".contains($0) }.count)
            shown += text(String(rest[..<scheme])) + url(String(shownURL))
            rest = rest[shownURL.endIndex...]
        }
        return shown + text(String(rest))
    }

    private func hasURL(_ bytes: some Collection<UInt8>) -> Bool {
        var slashes = 3
        for byte in bytes {
            if byte == UInt8(ascii: ":") {
                slashes = 0
            } else if byte == UInt8(ascii: "/"), slashes < 2 {
                slashes += 1
                if slashes == 2 { return true }
            } else {
                slashes = 3
            }
        }
        return false
    }

    private static func endsURL(_ character: Character) -> Bool {
        character.isWhitespace || "\"'<>".contains(character)
    }

    private static func isInScheme(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "+-.".contains(character))
    }

    /// This mask, which hides the secrets of these headers and this URL wherever else they stand, in messages
    /// say. Values of less than six bytes are left out: they would be found everywhere.
    public func hiding(_ headers: Headers, url: String = "") -> SecretMask {
        var found: [Substring] = []
        for field in headers.fields where hides(field.name) {
            found.append(field.value[...])
            if field.name.lowercased().hasSuffix("cookie") {
                found += field.value.split(separator: ";").compactMap { pair in
                    pair.firstIndex(of: "=").map { pair[pair.index(after: $0)...] }
                }
            }
            // Behind the scheme, if there is one.
            if let space = field.value.firstIndex(of: " ") {
                found.append(field.value[field.value.index(after: space)...])
            }
        }
        let target = url.prefix { $0 != "#" }
        for piece in target.split(separator: "?", maxSplits: 1).dropFirst().joined().split(separator: "&") {
            guard let equals = piece.firstIndex(of: "="), hides(String(piece[..<equals])) else { continue }
            let value = piece[piece.index(after: equals)...]
            found.append(value)
            if let decoded = PercentEncoding.decode(String(value)) { found.append(decoded[...]) }
        }
        let new = Set(found.filter { $0.utf8.count >= 6 }.map(String.init)).subtracting(values)
        guard !new.isEmpty else { return self }
        var mask = self
        mask.values.formUnion(new)
        return mask
    }

    /// Any other text, without the ``values`` and what was said to be secret.
    public func text(_ text: String) -> String {
        guard !values.isEmpty || KnownSecrets.shared.hasAny else { return text }
        return withoutTexts(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Nil when none of them is there.
    func withoutTexts(_ bytes: [UInt8]) -> [UInt8]? {
        let own = search?.masked(bytes)
        return KnownSecrets.shared.masked(own ?? bytes) ?? own
    }

    /// The same for bytes, such as what a script prints.
    package static func masked(_ bytes: [UInt8]) -> [UInt8] { KnownSecrets.shared.masked(bytes) ?? bytes }

    // MARK: What the program knows to be secret

    /// Hides a text wherever this process shows something from now on, as it is and as URLs, JSON and shells
    /// have it (47.2). Of more than 1,000 such texts the oldest is forgotten.
    ///
    /// - Returns: False for a text of less than 6 bytes, which would be found everywhere, or above 64 KiB.
    @discardableResult
    public static func hide(_ text: String) -> Bool { KnownSecrets.shared.hide(text, isFixed: false) }

    /// Hides the values of headers, parameters, fields and variables of these names; case doesn't matter
    /// (47.3).
    public static func hide(names: [String]) { KnownSecrets.shared.hide(names: names) }

    /// Shows the values of these names from now on, though they look like secrets; case doesn't matter
    /// (47.3). What ``hide(names:)`` was told stays hidden, and so do the headers of credentials and cookies.
    public static func show(names: [String]) { KnownSecrets.shared.show(names: names) }

    /// Hides those values of variables of the environment whose name says that they are secret (47.4).
    package static func hide(environment: [String: String]) {
        for (name, value) in environment where hidesVariable(name) {
            _ = KnownSecrets.shared.hide(value, isFixed: true)
        }
    }

    /// `GITHUB_TOKEN`, `API_KEY`, `DB_PASSWORD`, and what the settings name.
    static func hidesVariable(_ name: String) -> Bool {
        let lower = name.lowercased()
        if let known = KnownSecrets.shared.verdict(onName: lower) { return known }
        let last = lower.split(separator: "_").last.map(String.init) ?? lower
        return ["key", "apikey", "pass", "passwd", "passphrase", "credential", "credentials"].contains(last)
            || ["token", "secret", "password"].contains { lower.contains($0) }
    }
}
