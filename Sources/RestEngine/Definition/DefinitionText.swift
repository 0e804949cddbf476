import Platform

/// A request as the Lua code that defines it.
struct DefinitionText: CustomStringConvertible {
    private var head: String
    private var lines: [String] = []
    /// Comments about the parts that are left out.
    private var notes: [String] = []

    var description: String {
        guard !lines.isEmpty || !notes.isEmpty else { return head + ")" }
        let properties = lines.map { "  \($0),\n" } + notes.map { "  -- \($0)\n" }
        return "\(head), {\n\(properties.joined())})"
    }

    /// - Parameters:
    ///   - service: The service's name; a valid one is used as the name of its variable.
    ///   - base: A URL outside of it, or one that a definition would write differently, becomes a request
    ///     without a service.
    init(_ method: String, _ url: String, of service: String?, _ base: BaseURL?) {
        if let service, let base, let (template, path) = Self.path(url, base),
            let query = Self.query(url, base)
        {
            let variable = LuaLiteral.isName(service) ? service : "service"
            head = "\(variable):define(\(LuaLiteral.quoted(method))"
            if let template, !template.isEmpty { head += ", \(LuaLiteral.quoted(template))" }
            if let path { lines.append("path = { \(path) }") }
            if !query.isEmpty { lines.append("query = { \(query.joined(separator: ", ")) }") }
        } else {
            head = "rest.request(\(LuaLiteral.quoted(method)), \(LuaLiteral.quoted(url))"
        }
    }

    /// The path below the base: a template, or for a path that no template writes the same a component. Nil
    /// outside of the base.
    private static func path(_ text: String, _ base: BaseURL) -> (template: String?, component: String?)? {
        guard let url = URLText(text), url.origin == base.url.origin, url.path.hasPrefix(base.url.path)
        else { return nil }
        let path = String(url.path.dropFirst(base.url.path.count))
        // Empty segments are dropped where a request is defined.
        guard !path.hasPrefix("/"), !path.hasSuffix("/"), !path.contains("//") else { return nil }
        if let plain = PercentEncoding.decode(path), PercentEncoding.path(plain) == path,
            !plain.contains(where: { "{}".contains($0) })
        {
            return (plain, nil)
        }
        return (nil, "rest.raw \(LuaLiteral.quoted(path))")
    }

    /// Pairs of the query, without those of the base. Nil if a definition would write them differently.
    private static func query(_ text: String, _ base: BaseURL) -> [String]? {
        guard let url = URLText(text) else { return nil }
        let known = Set(base.url.parameters.map(\.text))
        var pairs: [String] = []
        for parameter in url.parameters where !known.contains(parameter.text) {
            guard let name = PercentEncoding.decode(parameter.rawName),
                PercentEncoding.parameter(name) == parameter.rawName
            else { return nil }
            let raw = parameter.text.dropFirst(parameter.rawName.count)
            let value: String
            if raw.isEmpty {
                value = "rest.null"
            } else if let plain = PercentEncoding.decode(String(raw.dropFirst())),
                PercentEncoding.parameter(plain) == raw.dropFirst()
            {
                value = LuaLiteral.quoted(plain)
            } else {
                value = "rest.raw \(LuaLiteral.quoted(String(raw.dropFirst())))"
            }
            pairs.append("{ \(LuaLiteral.quoted(name)), \(value) }")
        }
        return pairs
    }

    /// Headers of the engine itself, of the body and of credentials are left out: a definition's own request
    /// has them again.
    mutating func add(_ headers: Headers, _ mask: SecretMask) {
        let pairs = headers.fields.compactMap { field -> String? in
            let name = field.name.lowercased()
            if mask.hides(name) {
                notes.append("without the secret header \(field.name)")
                return nil
            }
            guard !Self.ownNames.contains(name), !Headers.framesMessage(name) else { return nil }
            let value = mask.header(field.name, field.value)
            return "{ \(LuaLiteral.quoted(field.name)), \(LuaLiteral.quoted(value)) }"
        }
        if !pairs.isEmpty { lines.append("headers = { \(pairs.joined(separator: ", ")) }") }
    }

    private static let ownNames: Set<String> = [
        "accept-encoding", "content-type", "if-modified-since", "if-none-match", "traceparent", "tracestate",
        "user-agent",
    ]

    /// - Parameter bytes: Nil if the body is not known as a whole.
    mutating func add(body bytes: [UInt8]?, _ type: String?) {
        guard let bytes else {
            notes.append("without its body, which was not kept as a whole")
            return
        }
        let media = MediaType(type ?? "")
        var usual: String?
        if media.isJSON, let tree = try? Tree(json: bytes), let literal = LuaLiteral.table(tree) {
            lines.append("json = \(literal)")
            usual = "application/json"
        } else if media.essence == ComparedRequest.formType {
            let pairs = ComparedRequest.pairs(of: bytes).map {
                "{ \(LuaLiteral.quoted($0.name)), \(LuaLiteral.quoted($0.value)) }"
            }
            lines.append("form = { \(pairs.joined(separator: ", ")) }")
            usual = ComparedRequest.formType
        } else {
            lines.append("body = \(LuaLiteral.quoted(String(decoding: bytes, as: UTF8.self)))")
        }
        if let type, type != usual { lines.append("content_type = \(LuaLiteral.quoted(type))") }
    }
}

/// Values as Lua writes them (Lua 5.4 manual, 3.1 and 3.4.9).
enum LuaLiteral {
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first), !words.contains(text) else {
            return false
        }
        return text.utf8.allSatisfy { $0.isASCIILetter || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

    private static let words: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
        "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ]

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = "\(scalar.value)"
                quoted += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// A table that becomes this JSON again; nil if it could become another one, because of an empty array or
    /// object in it.
    static func table(_ tree: Tree) -> String? {
        switch tree.kind {
        case .array:
            let items = tree.elements.map(table)
            guard !items.isEmpty, !items.contains(nil) else { return nil }
            return "{ \(items.compactMap { $0 }.joined(separator: ", ")) }"
        case .object:
            let items = tree.pairs.map { pair in
                table(pair.value).map {
                    (isName(pair.key) ? pair.key : "[\(quoted(pair.key))]") + " = " + $0
                }
            }
            guard !items.isEmpty, !items.contains(nil) else { return nil }
            return "{ \(items.compactMap { $0 }.joined(separator: ", ")) }"
        case .string: return tree.string.map(quoted)
        case .null: return "rest.null"
        default: return (try? tree.json()).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
