/// Reads the replies of a Redis server, in the protocol's versions 2 and 3 (RESP), from bytes in any pieces.
///
/// Nested replies are kept on a list, not on the stack, so no reply can exhaust the stack. A reply that is
/// larger than a limit is an error, because the bytes behind it can't be found without reading it.
package struct RESPReader {
    /// The bounds of one reply.
    package struct Limits: Sendable {
        /// Arrays within arrays.
        package var depth = 32
        /// Bytes of one text or bulk.
        package var bulk = 64 << 20
        /// Bytes of the whole reply.
        package var bytes = 128 << 20
        /// Values of the whole reply.
        package var elements = 1 << 20
        /// Bytes of a line, such as an error.
        package var line = 64 << 10

        package init() {}
    }

    package enum Message: Sendable, Equatable {
        case reply(RedisValue)
        /// A message that answers no command (RESP3).
        case push([RedisValue])
    }

    package enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
        case unknownType(UInt8)
        case badLine(String)
        case missingLineEnd
        case tooLarge(String)
        case misplacedPush

        package var description: String {
            switch self {
            case .unknownType(let byte):
                "a reply begins with the byte \(byte), which the protocol doesn't have"
            case .badLine(let what): "a reply has no valid \(what)"
            case .missingLineEnd: "a reply has no line end where its length says"
            case .tooLarge(let what): "a reply has more \(what) than this client reads"
            case .misplacedPush: "a push message is inside of another reply"
            }
        }
    }

    private enum Container { case array, map, push, attribute }

    /// A reply with elements that are not all there yet.
    private struct Open {
        let container: Container
        var missing: Int
        var elements: [RedisValue] = []
    }

    /// A bulk whose length is known.
    private struct Bulk {
        let count: Int
        let type: UInt8
    }

    private let limits: Limits
    private var bytes: [UInt8] = []
    private var offset = 0
    /// Bytes behind `offset` that have no line end.
    private var scanned = 0
    private var open: [Open] = []
    private var bulk: Bulk?
    private var elements = 0
    private var size = 0

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Whether the bytes so far end between two replies.
    package var isBetweenReplies: Bool { open.isEmpty && bulk == nil && offset == bytes.count }

    package mutating func feed(_ more: some Collection<UInt8>) {
        if offset == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
            offset = 0
        } else if offset > 1 << 16, offset > bytes.count / 2 {
            bytes.removeFirst(offset)
            offset = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next message; nil when more bytes are needed. After a fault the reader must not be used again.
    package mutating func next() throws(Fault) -> Message? {
        while true {
            guard let value = try nextValue() else { return nil }
            if let message = try close(value) { return message }
        }
    }

    /// A value without elements, or one whose elements follow (nil inside).
    private mutating func nextValue() throws(Fault) -> RedisValue?? {
        if let bulk { return try content(of: bulk).map { .some($0) } }
        guard let line = try line() else { return nil }
        try count(line.count)
        elements += 1
        guard elements <= limits.elements else { throw .tooLarge("values") }
        let type = bytes[line.lowerBound]
        let text = bytes[(line.lowerBound + 1)..<line.upperBound]
        switch type {
        case UInt8(ascii: "+"): return .some(.bytes(Array(text)))
        case UInt8(ascii: "-"): return .some(.error(String(decoding: text, as: UTF8.self)))
        case UInt8(ascii: ":"):
            guard let number = Self.integer(text) else { throw .badLine("integer") }
            return .some(.integer(number))
        case UInt8(ascii: "_"): return .some(.null)
        case UInt8(ascii: "#"): return .some(.boolean(try Self.boolean(text)))
        case UInt8(ascii: ","): return .some(.double(try Self.double(text)))
        // Larger than any other integer, so it stays text.
        case UInt8(ascii: "("): return .some(.bytes(Array(text)))
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
            guard let count = try length(text, limits.bulk, "bytes in one text") else { return .some(.null) }
            bulk = Bulk(count: count, type: type)
            return try nextValue()
        case UInt8(ascii: "*"), UInt8(ascii: "~"): return try begin(.array, text)
        case UInt8(ascii: "%"): return try begin(.map, text)
        case UInt8(ascii: "|"): return try begin(.attribute, text)
        case UInt8(ascii: ">"):
            guard open.isEmpty else { throw .misplacedPush }
            return try begin(.push, text)
        default: throw .unknownType(type)
        }
    }

    // MARK: Lines and bulks

    /// The next line without its end; nil when it isn't complete.
    private mutating func line() throws(Fault) -> Range<Int>? {
        let start = offset
        let found = bytes[(start + scanned)...].firstIndex(of: UInt8(ascii: "\n"))
        guard let found else {
            scanned = bytes.count - start
            if scanned > limits.line { throw .tooLarge("bytes in one line") }
            return nil
        }
        guard found - start <= limits.line else { throw .tooLarge("bytes in one line") }
        guard found - start >= 2, bytes[found - 1] == UInt8(ascii: "\r") else { throw .badLine("line end") }
        scanned = 0
        offset = found + 1
        return start..<(found - 1)
    }

    private mutating func content(of next: Bulk) throws(Fault) -> RedisValue? {
        guard bytes.count - offset >= next.count + 2 else { return nil }
        let end = offset + next.count
        guard bytes[end] == UInt8(ascii: "\r"), bytes[end + 1] == UInt8(ascii: "\n") else {
            throw .missingLineEnd
        }
        try count(next.count)
        let content = bytes[offset..<end]
        offset = end + 2
        bulk = nil
        switch next.type {
        case UInt8(ascii: "!"): return .error(String(decoding: content, as: UTF8.self))
        case UInt8(ascii: "="):
            // A format of three letters and a colon stand before the text.
            guard content.count >= 4 else { throw .badLine("format of a text") }
            return .bytes(Array(content.dropFirst(4)))
        default: return .bytes(Array(content))
        }
    }

    private mutating func count(_ more: Int) throws(Fault) {
        size += more
        guard size <= limits.bytes else { throw .tooLarge("bytes") }
    }

    /// A length; nil for the null of version 2.
    private func length(
        _ text: ArraySlice<UInt8>, _ most: Int, _ what: String
    ) throws(Fault) -> Int? {
        guard let number = Self.integer(text), number >= -1 else { throw .badLine("length") }
        guard number >= 0 else { return nil }
        guard number <= most else { throw .tooLarge(what) }
        return Int(number)
    }

    // MARK: Values with elements

    private mutating func begin(_ container: Container, _ text: ArraySlice<UInt8>) throws(Fault)
        -> RedisValue??
    {
        guard let count = try length(text, limits.elements, "values") else {
            if container == .push { throw .badLine("kind of a push message") }
            return .some(.null)
        }
        let isPaired = container == .map || container == .attribute
        let missing = isPaired ? 2 * count : count
        guard elements + missing <= limits.elements else { throw .tooLarge("values") }
        guard open.count < limits.depth else { throw .tooLarge("levels") }
        if missing > 0 {
            open.append(Open(container: container, missing: missing))
            return .some(nil)
        }
        switch container {
        case .array: return .some(.array([]))
        case .map: return .some(.map([]))
        case .attribute: return .some(nil)
        case .push: throw .badLine("kind of a push message")
        }
    }

    /// Puts a value where it belongs. Returns a message when that completes one.
    private mutating func close(_ new: RedisValue?) throws(Fault) -> Message? {
        guard var value = new else { return nil }
        while let last = open.indices.last {
            open[last].elements.append(value)
            open[last].missing -= 1
            guard open[last].missing == 0 else { return nil }
            let done = open.removeLast()
            switch done.container {
            case .array: value = .array(done.elements)
            case .map: value = .map(done.elements)
            case .push:
                end()
                return .push(done.elements)
            // It describes the value behind it, and no command here asks for such descriptions.
            case .attribute: return nil
            }
        }
        end()
        return .reply(value)
    }

    private mutating func end() { (elements, size) = (0, 0) }

    // MARK: Numbers

    private static func integer(_ text: ArraySlice<UInt8>) -> Int64? {
        // `Int64` would also take a number of thousands of digits, which takes long.
        guard (1...20).contains(text.count) else { return nil }
        return Int64(String(decoding: text, as: UTF8.self))
    }

    private static func double(_ text: ArraySlice<UInt8>) throws(Fault) -> Double {
        guard text.count <= 400 else { throw .badLine("number") }
        let word = String(decoding: text, as: UTF8.self)
        switch word {
        case "inf": return .infinity
        case "-inf": return -.infinity
        case "nan": return .nan
        default:
            guard let number = Double(word) else { throw .badLine("number") }
            return number
        }
    }

    private static func boolean(_ text: ArraySlice<UInt8>) throws(Fault) -> Bool {
        switch text {
        case [UInt8(ascii: "t")]: true
        case [UInt8(ascii: "f")]: false
        default: throw .badLine("boolean")
        }
    }
}
