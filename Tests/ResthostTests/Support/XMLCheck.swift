/// A strict reader of the XML that reports may contain: elements, attributes and text. Anything else is an
/// error.
struct XMLCheck {
    struct Element {
        let name: String
        let attributes: [String: String]
        /// The element's own text, without that of inner elements.
        var text = ""
    }

    struct Malformed: Error {
        let message: String
        let near: String
    }

    private(set) var elements: [Element] = []
    /// Scalars, because a combining mark and a quote would form one Character.
    private var rest: Substring.UnicodeScalarView

    init(_ document: String) throws {
        rest = document[...].unicodeScalars
        for scalar in document.unicodeScalars where scalar.value < 0x20 && scalar != "\n" && scalar != "\t" {
            throw error("the character \(scalar.value)")
        }
        try expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        try readElement()
        guard rest.elementsEqual("\n".unicodeScalars) else { throw error("text behind the end") }
    }

    private func error(_ message: String) -> Malformed {
        Malformed(message: message, near: String(Substring(rest.prefix(60))))
    }

    private mutating func expect(_ text: String) throws {
        guard isNext(text) else { throw error("expected \(text)") }
        rest = rest.dropFirst(text.unicodeScalars.count)
    }

    private func isNext(_ text: String) -> Bool { rest.starts(with: text.unicodeScalars) }

    private mutating func name() throws -> String {
        let name = rest.prefix { $0.isASCII && ($0.properties.isAlphabetic || $0 == "-") }
        guard !name.isEmpty else { throw error("expected a name") }
        rest = rest.dropFirst(name.count)
        return String(Substring(name))
    }

    private mutating func readElement() throws {
        try expect("<")
        let name = try name()
        var attributes: [String: String] = [:]
        while isNext(" ") {
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
        if isNext("/>") { return try expect("/>") }
        try expect(">")
        while !isNext("</") {
            if isNext("<") {
                try readElement()
            } else {
                let text = rest.prefix { $0 != "<" }
                guard !text.isEmpty, !Substring(text).contains("]]>") else { throw error("text") }
                rest = rest.dropFirst(text.count)
                elements[place].text += try unescaped(text)
            }
        }
        try expect("</\(name)>")
    }

    private func unescaped(_ text: Substring.UnicodeScalarView) throws -> String {
        var output = String.UnicodeScalarView()
        var rest = text
        while let mark = rest.firstIndex(of: "&") {
            output += rest[..<mark]
            guard let end = rest[mark...].firstIndex(of: ";") else { throw error("an ampersand") }
            switch String(Substring(rest[mark...end])) {
            case "&amp;": output.append("&")
            case "&lt;": output.append("<")
            case "&gt;": output.append(">")
            case "&quot;": output.append("\"")
            case "&#10;": output.append("\n")
            case "&#9;": output.append("\t")
            case "&#13;": output.append("\r")
            default: throw error("an entity")
            }
            rest = rest[rest.index(after: end)...]
        }
        return String(output + rest)
    }
}
