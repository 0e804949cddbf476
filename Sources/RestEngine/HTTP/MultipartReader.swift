/// Reads the parts of a `multipart/form-data` body (RFC 2046 5.1.1, RFC 7578) that is in memory, one after
/// the other.
package struct MultipartReader: Sendable {
    /// The reason why a body can't be read.
    package struct Fault: Error, Equatable {
        package let message: String
    }

    package struct Part: Sendable, Equatable {
        /// The field's name; empty without one.
        package var name = ""
        /// The name of the file that the client sent, without its folders; nil for a plain field.
        package var filename: String?
        /// `text/plain` without a field of that name (RFC 7578 4.4).
        package var contentType = "text/plain"
        /// All fields of the part's head, in order.
        package var headers: [(name: String, value: String)] = []
        /// The place of the content in the body.
        package var body: Range<Int>

        package static func == (a: Part, b: Part) -> Bool {
            a.name == b.name && a.filename == b.filename && a.contentType == b.contentType
                && a.body == b.body && a.headers.elementsEqual(b.headers, by: ==)
        }
    }

    /// See docs/reference/limits.md, L370 and L371.
    package static let mostParts = 1000
    package static let mostHeadBytes = 16 << 10

    private let bytes: [UInt8]
    /// A line break, two hyphens and the boundary.
    private let delimiter: [UInt8]
    /// The place behind the last delimiter; nil before the first.
    private var place: Int?
    private var isOver = false
    private var count = 0

    /// - Parameter boundary: 1 to 70 bytes (RFC 2046 5.1.1).
    package init(_ bytes: [UInt8], boundary: String) throws(Fault) {
        guard 1...70 ~= boundary.utf8.count else {
            throw Fault(message: "a boundary has 1 to 70 characters, and this one \(boundary.utf8.count)")
        }
        self.bytes = bytes
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// The next part; nil at the end.
    package mutating func next() throws(Fault) -> Part? {
        if isOver { return nil }
        let start = if let place { place } else { try firstDelimiter() }
        guard let head = try headStart(behind: start) else {
            isOver = true
            return nil
        }
        count += 1
        guard count <= Self.mostParts else { throw fail("it has more than \(Self.mostParts) parts") }
        guard let blank = headEnd(from: head) else {
            throw fail(
                "the head of part \(count) has no end, or is longer than \(Self.mostHeadBytes >> 10) KiB")
        }
        guard let end = find(delimiter, from: max(blank - 2, head)) else {
            throw fail("part \(count) has no end")
        }
        place = end + delimiter.count
        var part = Part(body: min(blank, end)..<end)
        try read(head: String(decoding: bytes[head..<max(head, blank - 4)], as: UTF8.self), into: &part)
        return part
    }

    private mutating func fail(_ message: String) -> Fault {
        isOver = true
        return Fault(message: message)
    }

    /// The place behind the first delimiter. The bytes before it mean nothing.
    private mutating func firstDelimiter() throws(Fault) -> Int {
        let first = Array(delimiter.dropFirst(2))
        if bytes.starts(with: first) { return first.count }
        guard let start = find(delimiter, from: 0) else { throw fail("its boundary is nowhere in it") }
        return start + delimiter.count
    }

    /// The start of a part's head; nil behind the last delimiter.
    private mutating func headStart(behind delimiterEnd: Int) throws(Fault) -> Int? {
        let rest = bytes[delimiterEnd...]
        if rest.starts(with: "--".utf8) { return nil }
        let padding = rest.prefix { $0 == 0x20 || $0 == 0x09 }
        guard rest.dropFirst(padding.count).starts(with: "\r\n".utf8) else {
            throw fail("the line of a boundary does not end behind it")
        }
        return delimiterEnd + padding.count + 2
    }

    /// The place behind the empty line that ends a head.
    private func headEnd(from start: Int) -> Int? {
        let rest = bytes[start..<min(bytes.count, start + Self.mostHeadBytes)]
        if rest.starts(with: "\r\n".utf8) { return start + 2 }
        return find(Array("\r\n\r\n".utf8), from: start, to: rest.endIndex).map { $0 + 4 }
    }

    private func find(_ wanted: [UInt8], from start: Int, to end: Int? = nil) -> Int? {
        let last = (end ?? bytes.count) - wanted.count
        var place = start
        while place <= last {
            guard let next = bytes[place...last].firstIndex(of: wanted[0]) else { return nil }
            if bytes[next...].starts(with: wanted) { return next }
            place = next + 1
        }
        return nil
    }

    private mutating func read(head: String, into part: inout Part) throws(Fault) {
        for line in head.split(separator: "\r\n", omittingEmptySubsequences: true) {
            guard let colon = line.firstIndex(of: ":") else {
                throw fail("a line in the head of part \(count) has no colon")
            }
            let name = String(line[..<colon])
            let value = String(line[line.index(after: colon)...].trimmingBlanks)
            part.headers.append((name, value))
            switch name.lowercased() {
            case "content-type": part.contentType = value
            case "content-disposition":
                let parameters = Self.parameters(of: value)
                part.name = parameters["name"] ?? ""
                part.filename = parameters["filename"].map(Self.lastName)
            default: break
            }
        }
    }

    /// Folders in a name could lead a script elsewhere (RFC 7578 4.2).
    private static func lastName(_ path: String) -> String {
        String(path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? "")
    }

    /// The parameters of a field's value, by lower-case name. Browsers write a quote as `%22`.
    private static func parameters(of value: String) -> [String: String] {
        var parameters: [String: String] = [:]
        var rest = Substring(value).unicodeScalars
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...]
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }) else { break }
            if rest[equals] == ";" {
                rest = rest[equals...]
                continue
            }
            let name = Substring(rest[..<equals]).trimmingBlanks.lowercased()
            rest = rest[rest.index(after: equals)...]
            var text = String.UnicodeScalarView()
            if rest.first == "\"" {
                rest.removeFirst()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    let isEscape = scalar == "\\" && (rest.first == "\"" || rest.first == "\\")
                    text.append(isEscape ? rest.removeFirst() : scalar)
                }
            } else {
                text.append(contentsOf: Substring(rest.prefix { $0 != ";" }).trimmingBlanks.unicodeScalars)
            }
            if !name.isEmpty, parameters[name] == nil {
                parameters[name] = String(text).replacing("%22", with: "\"")
            }
        }
        return parameters
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
