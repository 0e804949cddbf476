/// A strict reader of the XML that a report may be: elements, attributes and text; anything else is an error.
struct XMLCheck {
    struct Element {
        let name: String
        let attributes: [String: String]
        /// Its own, without that of the elements inside.
        var text = ""
    }

    struct Malformed: Error {
        let message: String
        let near: String
    }

    private(set) var elements: [Element] = []
    private var rest: Substring

    init(_ document: String) throws {
        rest = document[...]
        for scalar in document.unicodeScalars where scalar.value < 0x20 && scalar != "\n" {
            throw error("the character \(scalar.value)")
        }
        try expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        try readElement()
        guard rest == "\n" else { throw error("text behind the end") }
    }

    private func error(_ message: String) -> Malformed {
        Malformed(message: message, near: String(rest.prefix(60)))
    }

    private mutating func expect(_ text: String) throws {
        guard rest.hasPrefix(text) else { throw error("expected \(text)") }
        rest = rest.dropFirst(text.count)
    }

    private mutating func name() throws -> String {
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0 == "-") }
        guard !name.isEmpty else { throw error("expected a name") }
        rest = rest.dropFirst(name.count)
        return String(name)
    }

    private mutating func readElement() throws {
        try expect("<")
        let name = try name()
        var attributes: [String: String] = [:]
        while rest.hasPrefix(" ") {
            try expect(" ")
            let key = try self.name()
            try expect("=\"")
            let value = rest.prefix { $0 != "\"" }
            guard !value.contains("<"), !value.contains("\n"), attributes[key] == nil else {
                throw error("attribute \(key)")
            }
            rest = rest.dropFirst(value.count)
            try expect("\"")
            attributes[key] = try unescaped(value)
        }
        let place = elements.count
        elements.append(Element(name: name, attributes: attributes))
        if rest.hasPrefix("/>") { return try expect("/>") }
        try expect(">")
        while !rest.hasPrefix("</") {
            if rest.hasPrefix("<") {
                try readElement()
            } else {
                let text = rest.prefix { $0 != "<" }
                guard !text.isEmpty, !text.contains("]]>") else { throw error("text") }
                rest = rest.dropFirst(text.count)
                elements[place].text += try unescaped(text)
            }
        }
        try expect("</\(name)>")
    }

    private func unescaped(_ text: Substring) throws -> String {
        var output = ""
        var rest = text
        while let mark = rest.firstIndex(of: "&") {
            output += rest[..<mark]
            guard let end = rest[mark...].firstIndex(of: ";") else { throw error("an ampersand") }
            switch rest[mark...end] {
            case "&amp;": output += "&"
            case "&lt;": output += "<"
            case "&gt;": output += ">"
            case "&quot;": output += "\""
            case "&#10;": output += "\n"
            case "&#9;": output += "\t"
            case "&#13;": output += "\r"
            default: throw error("the entity \(rest[mark...end])")
            }
            rest = rest[rest.index(after: end)...]
        }
        return output + rest
    }
}
