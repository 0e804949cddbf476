/// A path through elements, with the parts of XPath that most documents need.
package struct XMLPath: Sendable, Equatable {
    /// One step to children.
    package struct Step: Sendable, Equatable {
        /// Whether it leads to descendants at any depth.
        package var descends: Bool
        package var name: Name
        package var predicates: [Predicate] = []
    }

    /// The name of an element.
    package struct Name: Sendable, Equatable {
        /// Nil for any name.
        package var local: String?
        /// Nil for any namespace; empty for none.
        package var namespace: String?
    }

    /// A condition in brackets.
    package enum Predicate: Sendable, Equatable {
        /// Counted from 1 among the children of one element that fit so far.
        case position(Int)
        case last
        /// The key of an attribute, and its value if that counts, too.
        case attribute(String, equals: String?)
        case child(Name, equals: String?)
        case text(equals: String)
    }

    /// The elements that a path leads to, or whose attribute it gives.
    package var steps: [Step] = []
    /// The key of the attribute at its end.
    package var attribute: String?
    /// Whether the attribute may be one of a descendant.
    package var attributeDescends = false

    /// A path that can't be read.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    static let mostSteps = 60

    /// - Parameter namespaces: URIs by the prefixes of the path.
    package init(_ text: String, namespaces: [String: String] = [:]) throws(Fault) {
        var parser = XMLPathParser(text, namespaces)
        self = try parser.path()
    }

    init() {}
}

/// Reads the text of a path.
struct XMLPathParser {
    private let text: String
    private let namespaces: [String: String]
    private var rest: Substring

    init(_ text: String, _ namespaces: [String: String]) {
        (self.text, self.namespaces, rest) = (text, namespaces, text[...])
    }

    mutating func path() throws(XMLPath.Fault) -> XMLPath {
        var path = XMLPath()
        guard !rest.isEmpty, text.utf8.count <= 2000 else { throw fault("it has 1 to 2000 bytes") }
        if rest.hasPrefix("/"), !rest.hasPrefix("//") {
            throw fault("it begins at the given element, so it has no '/' before its first step")
        }
        if rest.hasPrefix("./") { rest = rest.dropFirst(rest.hasPrefix(".//") ? 1 : 2) }
        var isFirst = true
        while true {
            let descends = take("//")
            if !descends, !isFirst, !take("/") { break }
            isFirst = false
            if take("@") {
                (path.attribute, path.attributeDescends) = (try attributeName(), descends)
                break
            }
            path.steps.append(XMLPath.Step(descends: descends, name: try name()))
            guard path.steps.count <= XMLPath.mostSteps else { throw fault("it has more than 60 steps") }
            while take("[") { path.steps[path.steps.count - 1].predicates.append(try predicate()) }
        }
        guard rest.isEmpty else { throw fault("'\(rest.prefix(40))' is no further step") }
        return path
    }

    private mutating func predicate() throws(XMLPath.Fault) -> XMLPath.Predicate {
        let predicate = try condition()
        guard take("]") else { throw fault("']' is missing before '\(rest.prefix(40))'") }
        return predicate
    }

    private mutating func condition() throws(XMLPath.Fault) -> XMLPath.Predicate {
        let digits = rest.prefix { "0"..."9" ~= $0 }
        if !digits.isEmpty {
            guard let position = Int(digits), position > 0 else { throw fault("positions begin at 1") }
            rest = rest.dropFirst(digits.count)
            return .position(position)
        }
        if take("last()") { return .last }
        if take("@") { return .attribute(try attributeName(), equals: try value()) }
        for form in ["text()", "."] where take(form) {
            guard let text = try value() else { throw fault("'\(form)' is compared with '='") }
            return .text(equals: text)
        }
        return .child(try name(), equals: try value())
    }

    /// The text behind `=`; nil if there is none.
    private mutating func value() throws(XMLPath.Fault) -> String? {
        guard take("=") else { return nil }
        guard let quote = rest.first, quote == "'" || quote == "\"" else {
            throw fault("a value stands in quotes")
        }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: quote) else { throw fault("the quote \(quote) has no end") }
        defer { rest = rest[rest.index(after: end)...] }
        return String(rest[..<end])
    }

    private mutating func attributeName() throws(XMLPath.Fault) -> String {
        let name = try name()
        guard let local = name.local else { throw fault("an attribute has a name") }
        guard let namespace = name.namespace, !namespace.isEmpty else { return local }
        return "{\(namespace)}\(local)"
    }

    private mutating func name() throws(XMLPath.Fault) -> XMLPath.Name {
        var namespace: String?
        if take("{") {
            guard let end = rest.firstIndex(of: "}") else { throw fault("'{' has no '}'") }
            namespace = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
        }
        if take("*") { return XMLPath.Name(local: nil, namespace: namespace) }
        var local = try word()
        if namespace == nil, take(":") {
            guard let uri = namespaces[local] else {
                throw fault("the prefix '\(local)' is none of the option 'namespaces'")
            }
            namespace = uri
            if take("*") { return XMLPath.Name(local: nil, namespace: namespace) }
            local = try word()
        }
        return XMLPath.Name(local: local, namespace: namespace)
    }

    private mutating func word() throws(XMLPath.Fault) -> String {
        let word = rest.prefix { !"/[]@={}*:'\"()| \t\n".contains($0) }
        guard !word.isEmpty, word != ".", word != ".." else {
            throw fault("'\(rest.prefix(40))' is no step: steps are a name, '*' or '@name'")
        }
        rest = rest.dropFirst(word.count)
        return String(word)
    }

    private mutating func take(_ prefix: String) -> Bool {
        guard rest.hasPrefix(prefix) else { return false }
        rest = rest.dropFirst(prefix.count)
        return true
    }

    private func fault(_ message: String) -> XMLPath.Fault {
        XMLPath.Fault(description: "the path '\(text.prefix(200))' can't be read: \(message)")
    }
}
