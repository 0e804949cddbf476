/// Reads the parts of a `multipart/form-data` body (RFC 2046 5.1.1, RFC 7578) as its bytes arrive. It holds
/// those that were added and not yet read.
package struct MultipartReader: Sendable {
    /// The reason why a body can't be read.
    package struct Fault: Error, Equatable {
        package let message: String
    }

    /// The head of a part.
    package struct Part: Sendable, Equatable {
        /// The field's name; empty without one.
        package var name = ""
        /// The name of the file that the client sent, without its folders; nil for a plain field.
        package var filename: String?
        /// `text/plain` without a field of that name (RFC 7578 4.4).
        package var contentType = "text/plain"
        /// All fields of the part's head, in order.
        package var headers: [(name: String, value: String)] = []

        package static func == (a: Part, b: Part) -> Bool {
            a.name == b.name && a.filename == b.filename && a.contentType == b.contentType
                && a.headers.elementsEqual(b.headers, by: ==)
        }
    }

    package enum Step: Sendable, Equatable {
        case part(Part)
        /// The next bytes of the part's content, never empty.
        case content(ArraySlice<UInt8>)
        case endOfPart
        /// More bytes are needed.
        case nothing
        /// No part follows.
        case end
    }

    private enum Place {
        /// Before the first delimiter. The bytes there mean nothing.
        case preamble(isStart: Bool)
        /// Behind a delimiter, in its line.
        case line
        case head
        /// In a part's content, which begins behind this number of bytes: an empty content shares its line
        /// break with the head.
        case content(skipped: Int)
        case over
    }

    /// See docs/reference/limits.md, L370 and L371.
    package static let mostParts = 1000
    package static let mostHeadBytes = 16 << 10

    /// A line break, two hyphens and the boundary.
    private let delimiter: [UInt8]
    private var place = Place.preamble(isStart: true)
    private var input: ArraySlice<UInt8> = []
    /// No more bytes will be added.
    private var isWhole = false
    private var count = 0

    /// - Parameter boundary: 1 to 70 bytes (RFC 2046 5.1.1).
    package init(boundary: String) throws(Fault) {
        guard 1...70 ~= boundary.utf8.count else {
            throw Fault(message: "a boundary has 1 to 70 characters, and this one \(boundary.utf8.count)")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    package mutating func add(_ bytes: [UInt8]) {
        if case .over = place { return }
        if input.isEmpty { input = bytes[...] } else { input += bytes }
    }

    /// The body is complete.
    package mutating func finish() { isWhole = true }

    package mutating func next() throws(Fault) -> Step {
        while true {
            switch place {
            case .preamble(let isStart): if try !skipPreamble(isStart) { return .nothing }
            case .line: if try !skipLine() { return .nothing }
            case .head: return try readHead()
            case .content(let skipped): return try readContent(skipped)
            case .over: return .end
            }
        }
    }

    private mutating func fail(_ message: String) -> Fault {
        end()
        return Fault(message: message)
    }

    private mutating func end() { (place, input) = (.over, []) }

    private mutating func drop(_ count: Int) { input = input.dropFirst(count) }

    /// False if more bytes are needed.
    private mutating func skipPreamble(_ isStart: Bool) throws(Fault) -> Bool {
        let first = delimiter.dropFirst(2)
        if isStart {
            guard input.count >= first.count || isWhole else { return false }
            if input.starts(with: first) {
                drop(first.count)
                place = .line
                return true
            }
            place = .preamble(isStart: false)
        }
        if let start = find(delimiter) {
            drop(start + delimiter.count)
            place = .line
            return true
        }
        if isWhole { throw fail("its boundary is nowhere in it") }
        drop(max(0, input.count - (delimiter.count - 1)))
        return false
    }

    private mutating func skipLine() throws(Fault) -> Bool {
        guard input.count >= 2 || isWhole else { return false }
        if input.starts(with: "--".utf8) {
            end()
            return true
        }
        let blanks = input.prefix { $0 == 0x20 || $0 == 0x09 }.count
        let rest = input.dropFirst(blanks)
        let isTooLong = blanks >= Self.mostHeadBytes
        if rest.count < 2, !isWhole, !isTooLong { return false }
        guard rest.starts(with: "\r\n".utf8), !isTooLong else {
            throw fail("the line of a boundary does not end behind it")
        }
        drop(blanks + 2)
        place = .head
        return true
    }

    private mutating func readHead() throws(Fault) -> Step {
        guard input.count >= 2 || isWhole else { return .nothing }
        let isEmpty = input.starts(with: "\r\n".utf8)
        guard let end = isEmpty ? 0 : find(Array("\r\n\r\n".utf8), in: Self.mostHeadBytes) else {
            guard isWhole || input.count >= Self.mostHeadBytes else { return .nothing }
            throw fail(
                "the head of part \(count + 1) has no end, or is longer than \(Self.mostHeadBytes >> 10) KiB")
        }
        count += 1
        guard count <= Self.mostParts else { throw fail("it has more than \(Self.mostParts) parts") }
        var part = Part()
        try read(head: String(decoding: input.prefix(end), as: UTF8.self), into: &part)
        drop(isEmpty ? 0 : end + 2)
        place = .content(skipped: 2)
        return .part(part)
    }

    private mutating func readContent(_ skipped: Int) throws(Fault) -> Step {
        let found = find(delimiter)
        if found == nil, isWhole { throw fail("part \(count) has no end") }
        // The last bytes may be the beginning of a delimiter.
        let end = found ?? input.count - (delimiter.count - 1)
        if end > skipped {
            let content = input.prefix(end).dropFirst(skipped)
            drop(end)
            place = .content(skipped: 0)
            return .content(content)
        }
        guard let found else { return .nothing }
        drop(found + delimiter.count)
        place = .line
        return .endOfPart
    }

    /// The offset in the unread bytes, of which the first ones may be all that count.
    private func find(_ wanted: [UInt8], in most: Int = .max) -> Int? {
        let bytes = input.prefix(most)
        let last = bytes.endIndex - wanted.count
        var place = bytes.startIndex
        while place <= last {
            guard let next = bytes[place...last].firstIndex(of: wanted[0]) else { return nil }
            if bytes[next...].starts(with: wanted) { return next - bytes.startIndex }
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
