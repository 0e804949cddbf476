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

    static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie",
    ]

    /// Whether what has this name, a header, a parameter or a field, is secret.
    public func hides(_ name: String) -> Bool {
        let lower = name.lowercased()
        if Self.headers.contains(lower) || names.contains(where: { $0.lowercased() == lower }) { return true }
        return KnownSecrets.shared.decision(onName: lower) ?? SecretNames.have(lower)
    }

    /// A header's value as it may be shown. Of credentials the scheme stays: `Bearer ***` (RFC 9110 11.4).
    public func header(_ name: String, _ value: String) -> String {
        guard hides(name) else { return masked(value, .inURLs) }
        guard Self.keepsScheme(name), let space = value.utf8.firstIndex(of: UInt8(ascii: " ")),
            space > value.startIndex
        else { return Self.text }
        return value[..<space] + " " + Self.text
    }

    static func keepsScheme(_ name: String) -> Bool {
        ["authorization", "proxy-authorization"].contains(name.lowercased())
    }

    /// A URL, maybe a relative one, without the password and the values of secret parameters.
    public func url(_ url: String) -> String { masked(url, .inURL) }

    /// A text for people, such as a line of a log. It hides passwords and parameters of URLs, values with a
    /// secret's name, as `password=x`, `password = "x"`, JSON and heads have them, and known secrets.
    public func line(_ text: String) -> String { masked(text, .inWords) }

    /// A body. It hides values with a secret's name in JSON, forms, lines of text and URLs, and known
    /// secrets.
    func body(_ bytes: [UInt8], _ contentType: String?) -> [UInt8] {
        let media = contentType.map { MediaType($0) }
        let isForm = media?.essence == "application/x-www-form-urlencoded"
        let isJSON = media?.isJSON == true
        let isText = isForm || isJSON || media?.essence.hasPrefix("text/") == true
        guard isText || String(validating: bytes, as: UTF8.self) != nil else { return bytes }
        let isPlain = media.map { ["text/plain", "text/event-stream"].contains($0.essence) } ?? true
        return bytes.withUnsafeBufferPointer {
            masked($0, isForm ? .inForm : isPlain || isJSON ? .inWords : .inURLs)
        } ?? bytes
    }

    /// A tree for programs, each of its strings as ``line(_:)`` has it. A value keeps its type.
    func tree(_ tree: Tree) -> Tree {
        switch tree.kind {
        case .string: tree.string.map { Tree(line($0)) } ?? tree
        case .array: Tree(tree.elements.map(self.tree))
        case .object:
            Tree(
                pairs: tree.pairs.map { pair in
                    guard hides(pair.key) else { return (line(pair.key), self.tree(pair.value)) }
                    return switch pair.value.kind {
                    case .string:
                        (pair.key, Tree(pair.value.string.map { header(pair.key, $0) } ?? Self.text))
                    case .integer, .double: (pair.key, 0)
                    default: (pair.key, self.tree(pair.value))
                    }
                })
        default: tree
        }
    }

    private func masked(_ text: String, _ pairs: SecretScan.Pairs) -> String {
        var text = text
        return text.withUTF8 { masked($0, pairs) }.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// The masking of all that is shown; nil when there is nothing to hide. Known texts first, for a name may
    /// hide a part of one.
    func masked(_ bytes: UnsafeBufferPointer<UInt8>, _ pairs: SecretScan.Pairs) -> [UInt8]? {
        let own = search?.masked(bytes)
        let known = next(own, bytes) { KnownSecrets.shared.masked($0) }
        return next(known, bytes) {
            var scan = SecretScan($0, pairs, hidingBy: self)
            return scan.masked()
        }
    }

    private func next(
        _ made: [UInt8]?, _ bytes: UnsafeBufferPointer<UInt8>,
        _ look: (UnsafeBufferPointer<UInt8>) -> [UInt8]?
    ) -> [UInt8]? {
        guard let made else { return look(bytes) }
        return made.withUnsafeBufferPointer(look) ?? made
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

    /// Some names are secret, or not, that aren't usually.
    var hasNames: Bool { !names.isEmpty || KnownSecrets.shared.knowsNames }

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
        if let known = KnownSecrets.shared.decision(onName: lower) { return known }
        let last = lower.split(separator: "_").last.map(String.init) ?? lower
        return ["key", "apikey", "pass", "passwd", "passphrase", "credential", "credentials"].contains(last)
            || ["token", "secret", "password"].contains { lower.contains($0) }
    }
}
