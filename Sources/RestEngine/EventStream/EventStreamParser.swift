/// Parses a stream of server-sent events (WHATWG HTML, 9.2.6) as its bytes arrive.
package struct EventStreamParser {
    /// One event of the stream.
    package struct Event: Equatable, Sendable {
        /// `message`, unless the server named it.
        package var type: String
        /// Valid UTF-8; lines are separated by LF.
        package var data: [UInt8]
        /// The id to send with the next connection; empty until the server has sent one.
        package var id: String
    }

    /// An event, or a line, is longer than the limit.
    package struct Overflow: Error, Equatable {
        let limit: Int
        /// The complete events before it in the same bytes.
        package var events: [Event] = []
    }

    /// Bytes of an id; longer ones are ignored, since they would be sent back in a header.
    static let mostIDBytes = 1024

    private let limit: Int
    /// The position in a byte order mark; nil after the beginning of the stream.
    private var mark: Int? = 0
    private var line: [UInt8] = []
    private var endedWithReturn = false
    private var type: [UInt8] = []
    private var data: [UInt8] = []
    /// Takes effect with the next blank line.
    private var nextID: String

    /// The id of the last complete event.
    private(set) var lastID: String
    /// Seconds to wait before a new connection, as set by the server; nil until it sends them.
    private(set) var retrySeconds: Double?

    /// - Parameters:
    ///   - limit: Bytes of all lines of one event.
    ///   - lastID: The id from the connection before.
    package init(limit: Int, lastID: String = "") {
        self.limit = limit
        self.lastID = lastID
        nextID = lastID
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let colon = UInt8(ascii: ":")
    private static let feed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// The events that these bytes complete, in order.
    package mutating func take(_ bytes: [UInt8]) throws(Overflow) -> [Event] {
        var events: [Event] = []
        do throws(Overflow) { try take(bytes, into: &events) } catch {
            throw Overflow(limit: error.limit, events: events)
        }
        return events
    }

    private mutating func take(_ bytes: [UInt8], into events: inout [Event]) throws(Overflow) {
        var start = skipMark(bytes)
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte != Self.feed, byte != Self.carriageReturn {
                endedWithReturn = false
                index += 1
                continue
            }
            if byte == Self.feed, endedWithReturn, start == index {
                endedWithReturn = false
            } else {
                try append(bytes[start..<index])
                if let event = endLine() { events.append(event) }
                endedWithReturn = byte == Self.carriageReturn
            }
            index += 1
            start = index
        }
        try append(bytes[start...])
    }

    /// The index after a byte order mark at the beginning.
    private mutating func skipMark(_ bytes: [UInt8]) -> Int {
        var index = 0
        while let place = mark, index < bytes.count {
            if bytes[index] == Self.byteOrderMark[place] {
                index += 1
                mark = place == 2 ? nil : place + 1
            } else {
                // It was no mark, only the beginning of an unusual line.
                line = Array(Self.byteOrderMark.prefix(place))
                mark = nil
            }
        }
        return index
    }

    private mutating func append(_ part: ArraySlice<UInt8>) throws(Overflow) {
        guard let first = part.first else { return }
        // Of a comment only the colon is kept, even if the comment is long.
        if line.isEmpty, first == Self.colon { line = [Self.colon] }
        if line.first == Self.colon { return }
        guard line.count + data.count + type.count + part.count <= limit else {
            throw Overflow(limit: limit)
        }
        line += part
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: line.capacity <= 4096) }
        if line.isEmpty { return dispatch() }
        guard let colon = line.firstIndex(of: Self.colon) else {
            set(line[...], [])
            return nil
        }
        if colon == 0 { return nil }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        set(line[..<colon], value)
        return nil
    }

    private mutating func set(_ field: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        switch String(decoding: field, as: UTF8.self) {
        case "data":
            data += value
            data.append(Self.feed)
        case "event": type = Array(value)
        case "id":
            // An id with NUL must be ignored, and other control characters could not be sent back.
            if value.count <= Self.mostIDBytes, value.allSatisfy(HTTPByte.isFieldValue) {
                nextID = String(decoding: value, as: UTF8.self)
            }
        case "retry":
            guard !value.isEmpty, value.allSatisfy(HTTPByte.isDigit) else { return }
            let digits = value.drop { $0 == UInt8(ascii: "0") }
            retrySeconds =
                digits.count > 12 ? 1e9 : (Double(String(decoding: digits, as: UTF8.self)) ?? 0) / 1000
        default: break
        }
    }

    private mutating func dispatch() -> Event? {
        lastID = nextID
        defer {
            data = []
            type = []
        }
        guard !data.isEmpty else { return nil }
        data.removeLast()
        // The conversion to text replaces bytes that are not UTF-8.
        return Event(
            type: type.isEmpty ? "message" : String(decoding: type, as: UTF8.self),
            data: Array(String(decoding: data, as: UTF8.self).utf8), id: lastID)
    }
}
