/// Decides what is secret in all output for people and programs: values of headers, URL parameters and fields
/// with a secret name, passwords of URLs, and texts that were declared secret (rules 47, SECURITY.md).
public struct SecretMask: Sendable {
    /// The text that replaces a secret.
    public static let text = "***"
    /// The mask that knows the usual names.
    public static let standard = SecretMask()

    /// Further headers and parameters that are secret, by name; case doesn't matter.
    public var names: Set<String> = []
    /// Texts that are secret wherever they occur.
    public var values: Set<String> = [] {
        didSet { search = values.isEmpty ? nil : SecretSearch(exactly: values) }
    }
    private var search: SecretSearch?

    /// Hides what is secret by its name, and values that were given to ``hide(_:)``.
    public init() {}

    static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie",
    ]

    /// Whether the value of a header, parameter or field with this name is secret.
    package func hides(_ name: String) -> Bool {
        let lower = name.lowercased()
        if Self.headers.contains(lower) || names.contains(where: { $0.lowercased() == lower }) { return true }
        return KnownSecrets.shared.decision(onName: lower) ?? SecretNames.have(lower)
    }

    /// A header's value in the form that may be shown. The scheme of credentials is kept: `Bearer ***` (RFC
    /// 9110 11.4).
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

    /// A URL, absolute or relative, without the password and the values of secret parameters.
    public func url(_ url: String) -> String { masked(url, .inURL) }

    /// A text for people, such as a line of a log. Hides passwords and secret parameters of URLs, known
    /// secrets, and values with a secret name in forms such as `password=x`, `password = "x"`, JSON and
    /// header fields.
    public func line(_ text: String) -> String { masked(text, .inWords) }

    /// A body. Hides known secrets, and values with a secret name in JSON, forms, lines of text and URLs.
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

    /// A tree for programs, with ``line(_:)`` applied to each string. A value keeps its type.
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

    /// Masks all output; nil when there is nothing to hide. Known texts are masked first, because a name may
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

    /// A mask that also hides the secrets of these headers and this URL wherever else they occur, for example
    /// in messages. Values of less than six bytes are not hidden: they would occur everywhere.
    package func hiding(_ headers: Headers, url: String = "") -> SecretMask {
        var found: [Substring] = []
        for field in headers.fields where hides(field.name) {
            found.append(field.value[...])
            if field.name.lowercased().hasSuffix("cookie") {
                found += field.value.split(separator: ";").compactMap { pair in
                    pair.firstIndex(of: "=").map { pair[pair.index(after: $0)...] }
                }
            }
            // After the scheme, if there is one.
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

    /// Whether names were declared secret or not secret in addition to the usual ones.
    var hasNames: Bool { !names.isEmpty || KnownSecrets.shared.knowsNames }

    // MARK: Secrets that the program knows

    /// Hides a text in all output of this process from now on, as it is and in its forms in URLs, JSON and
    /// shells (47.2). Of more than 1,000 such texts the oldest is forgotten.
    ///
    /// - Returns: False for a text of less than 6 bytes, which would occur everywhere, or of more than 64
    ///   KiB.
    @discardableResult
    public static func hide(_ text: String) -> Bool { KnownSecrets.shared.hide(text, isFixed: false) }

    /// Hides the values of headers, parameters, fields and variables of these names; case doesn't matter
    /// (47.3).
    public static func hide(names: [String]) { KnownSecrets.shared.hide(names: names) }

    /// Shows the values of these names from now on, although they look like secrets; case doesn't matter
    /// (47.3). Names given to ``hide(names:)``, and headers of credentials and cookies, stay hidden.
    public static func show(names: [String]) { KnownSecrets.shared.show(names: names) }

    /// Hides the values of environment variables whose name is that of a secret (47.4).
    package static func hide(environment: [String: String]) {
        for (name, value) in environment where hidesVariable(name) {
            _ = KnownSecrets.shared.hide(value, isFixed: true)
        }
    }

    /// `GITHUB_TOKEN`, `API_KEY`, `DB_PASSWORD`, and names from the settings.
    static func hidesVariable(_ name: String) -> Bool {
        let lower = name.lowercased()
        if let known = KnownSecrets.shared.decision(onName: lower) { return known }
        let last = lower.split(separator: "_").last.map(String.init) ?? lower
        return ["key", "apikey", "pass", "passwd", "passphrase", "credential", "credentials"].contains(last)
            || ["token", "secret", "password"].contains { lower.contains($0) }
    }
}
