import RestEngine

/// Writes elements as a text.
struct XMLWriter {
    private(set) var text: [UInt8] = []
    private var depth = 0
    private let stop: StopFlag

    init(_ stop: StopFlag) { self.stop = stop }

    mutating func declaration() { append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") }

    /// - Parameter outer: The namespace of names without a prefix.
    mutating func element(_ tree: Tree, in outer: String) throws(FormatError) {
        let name = try name(tree["name"], "name")
        try requireShape(tree, name)
        try stop.check()
        depth += 1
        defer { depth -= 1 }
        guard depth <= FormatLimits().depth else {
            throw Self.fault("it is nested more than \(FormatLimits().depth) levels deep")
        }
        let namespace = try self.namespace(of: tree, name)
        let prefix = namespace == XML.xmlNamespace ? "xml:" : ""
        append("<\(prefix)\(name)")
        if prefix.isEmpty, namespace != outer { try attribute("xmlns", namespace, in: name) }
        try attributes(tree["attributes"], in: name)
        let start = text.count
        append(">")
        try content(of: tree, name, in: prefix.isEmpty ? namespace : outer)
        if text.count == start + 1 {
            text.removeLast()
            append("/>")
        } else {
            append("</\(prefix)\(name)>")
        }
    }

    private func requireShape(_ tree: Tree, _ name: String) throws(FormatError) {
        let known = ["name", "namespace", "attributes", "text", "children"]
        for (key, _) in tree.pairs where !known.contains(key) {
            throw Self.fault("the element '\(name)' has the unknown field '\(key.prefix(60))'")
        }
    }

    private func namespace(of tree: Tree, _ name: String) throws(FormatError) -> String {
        guard let namespace = tree["namespace"], !namespace.isNull else { return "" }
        guard let uri = namespace.string else { throw Self.fault("the namespace of '\(name)' is a string") }
        return uri
    }

    private mutating func content(of tree: Tree, _ name: String, in namespace: String) throws(FormatError) {
        let children = tree["children"]
        guard children.map({ $0.isList || $0.isNull }) ?? true else {
            throw Self.fault("the children of '\(name)' are a list")
        }
        let isMixed = children?.elements.contains { $0.kind == .string } ?? false
        if !isMixed, let content = tree["text"], !content.isNull { try self.content(content, in: name) }
        for child in children?.elements ?? Tree.null.elements {
            if child.kind == .string {
                try self.content(child, in: name)
            } else {
                try element(child, in: namespace)
            }
        }
    }

    private mutating func content(_ value: Tree, in name: String) throws(FormatError) {
        for scalar in try scalars(value, "the text of '\(name)'") {
            switch scalar {
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "&": append("&amp;")
            // A parser would read a line feed (XML 1.0, 2.11).
            case "\r": append("&#13;")
            default: text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
    }

    private mutating func attributes(_ tree: Tree?, in element: String) throws(FormatError) {
        guard let tree, !tree.isNull else { return }
        guard tree.kind == .object || tree.kind == .array && tree.count == 0 else {
            throw Self.fault("the attributes of '\(element)' are values by name")
        }
        var count = 0
        for (key, value) in tree.pairs {
            guard key.hasPrefix("{"), let end = key.lastIndex(of: "}") else {
                try attribute(try name(key, of: element), value, in: element)
                continue
            }
            let namespace = String(key[key.index(after: key.startIndex)..<end])
            let local = try name(String(key[key.index(after: end)...]), of: element)
            if namespace == XML.xmlNamespace {
                try attribute("xml:\(local)", value, in: element)
            } else if namespace.isEmpty {
                try attribute(local, value, in: element)
            } else {
                count += 1
                try attribute("xmlns:n\(count)", namespace, in: element)
                try attribute("n\(count):\(local)", value, in: element)
            }
        }
    }

    private mutating func attribute(_ name: String, _ value: String, in element: String) throws(FormatError) {
        var builder = Tree.Builder()
        builder.string(value)
        try attribute(name, builder.finish(), in: element)
    }

    private mutating func attribute(_ name: String, _ value: Tree, in element: String) throws(FormatError) {
        append(" \(name)=\"")
        for scalar in try scalars(value, "the attribute '\(name)' of '\(element)'") {
            switch scalar {
            case "<": append("&lt;")
            case "&": append("&amp;")
            case "\"": append("&quot;")
            // A parser would read spaces (XML 1.0, 3.3.3).
            case "\t", "\n", "\r": append("&#\(scalar.value);")
            default: text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        append("\"")
    }

    // MARK: Texts

    /// The characters of a string, number or boolean.
    private func scalars(_ value: Tree, _ what: String) throws(FormatError) -> String.UnicodeScalarView {
        let text: String
        switch value.kind {
        case .string:
            guard let string = value.string else { throw Self.fault("\(what) is not UTF-8") }
            text = string
        case .integer, .double, .boolean: text = "\(value)"
        default: throw Self.fault("\(what) is a string, a number or a boolean, not a \(value.kind.typeName)")
        }
        guard text.unicodeScalars.allSatisfy(Self.isCharacter) else {
            throw Self.fault("\(what) has a control character, which XML can't contain")
        }
        return text.unicodeScalars
    }

    /// XML 1.0, production 2.
    private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": true
        case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": false
        default: true
        }
    }

    private func name(_ tree: Tree?, _ what: String) throws(FormatError) -> String {
        guard let tree, let text = tree.string else {
            throw Self.fault("an element is a table with a name, as in { name = \"item\" }")
        }
        guard Self.isName(text) else { throw Self.fault("'\(text.prefix(60))' can't name an element") }
        return text
    }

    private func name(_ text: String, of element: String) throws(FormatError) -> String {
        // Namespaces are written as {uri}name.
        guard Self.isName(text), text != "xmlns" else {
            throw Self.fault("'\(text.prefix(60))' can't name an attribute of '\(element)'")
        }
        return text
    }

    /// Production 4 of Namespaces in XML 1.0: a name without a colon.
    private static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isNameStart(first) else { return false }
        return text.unicodeScalars.dropFirst().allSatisfy { scalar in
            switch scalar {
            case "-", ".", "0"..."9", "\u{B7}", "\u{300}"..."\u{36F}", "\u{203F}"..."\u{2040}": true
            default: isNameStart(scalar)
            }
        }
    }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "_", "a"..."z", "\u{C0}"..."\u{D6}", "\u{D8}"..."\u{F6}", "\u{F8}"..."\u{2FF}",
            "\u{370}"..."\u{37D}", "\u{37F}"..."\u{1FFF}", "\u{200C}"..."\u{200D}", "\u{2070}"..."\u{218F}",
            "\u{2C00}"..."\u{2FEF}", "\u{3001}"..."\u{D7FF}", "\u{F900}"..."\u{FDCF}",
            "\u{FDF0}"..."\u{FFFD}",
            "\u{10000}"..."\u{EFFFF}":
            true
        default: false
        }
    }

    private static func fault(_ message: String) -> FormatError { FormatError(XML.name, at: nil, message) }

    private mutating func append(_ string: String) { text += string.utf8 }
}
