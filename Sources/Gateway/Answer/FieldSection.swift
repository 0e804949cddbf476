import NIOCore
import NIOHPACK
import Platform
import RestEngine

/// The destination to which the contributors of a ``ResponseHead`` write its fields (RFC 9110 5).
protocol FieldSection {
    /// The value is `start`, `number` and `end`, one behind the other. They are separate parameters because
    /// most values with a number would otherwise need a string of their own.
    mutating func add(_ name: String, _ start: String, _ number: Int?, _ end: String)
}

extension FieldSection {
    mutating func add(_ name: String, _ value: String) { add(name, value, nil, "") }

    mutating func add(_ name: String, _ number: Int) { add(name, "", number, "") }

    mutating func add(_ name: String, _ start: String, _ number: Int) { add(name, start, number, "") }
}

/// The lines of HTTP/1.1 (RFC 9112 4, 5).
struct FieldLines: FieldSection {
    private(set) var bytes: ByteBuffer

    init(status: Int, capacity: Int) {
        bytes = ByteBufferAllocator().buffer(capacity: capacity)
        if status == 200 {
            bytes.writeStaticString("HTTP/1.1 200 OK\r\n")
        } else {
            bytes.writeString("HTTP/1.1 \(status) \(StatusPhrase.text(for: status))\r\n")
        }
    }

    mutating func add(_ name: String, _ start: String, _ number: Int?, _ end: String) {
        let texts = name.utf8.count + start.utf8.count + end.utf8.count + 4
        let count = texts + (number.map { Self.digits(of: $0) } ?? 0)
        // Each line is written at once, because writing small pieces is most of the work.
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
            guard var place = room.baseAddress else { return 0 }
            Self.write(name, at: &place)
            Self.write((UInt8(ascii: ":"), .space), at: &place)
            Self.write(start, at: &place)
            if let number { Self.write(number, at: &place) }
            Self.write(end, at: &place)
            Self.write((.carriageReturn, .newline), at: &place)
            return count
        }
    }

    private static func write(_ text: String, at place: inout UnsafeMutableRawPointer) {
        // Not `withUTF8`: a copy of the text, which it needs, would be retained for each line.
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { bytes in
            guard let start = bytes.baseAddress else { return }
            place.copyMemory(from: start, byteCount: bytes.count)
            place += bytes.count
        }
        guard isWritten == nil else { return }
        for byte in text.utf8 {
            place.storeBytes(of: byte, as: UInt8.self)
            place += 1
        }
    }

    private static func write(_ two: (UInt8, UInt8), at place: inout UnsafeMutableRawPointer) {
        place.storeBytes(of: two.0, as: UInt8.self)
        place.storeBytes(of: two.1, toByteOffset: 1, as: UInt8.self)
        place += 2
    }

    /// Includes the sign of a negative number.
    private static func digits(of number: Int) -> Int {
        var (count, rest) = (number < 0 ? 2 : 1, number.magnitude)
        while rest >= 10 {
            count += 1
            rest /= 10
        }
        return count
    }

    private static func write(_ number: Int, at place: inout UnsafeMutableRawPointer) {
        if number < 0 { place.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self) }
        place += digits(of: number)
        var (rest, digit) = (number.magnitude, place)
        repeat {
            digit -= 1
            digit.storeBytes(of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10), as: UInt8.self)
            rest /= 10
        } while rest > 0
    }

    mutating func end() { bytes.writeStaticString("\r\n") }
}

/// The list of HTTP/2 (RFC 9113 8.2, 8.3.2).
struct FieldList: FieldSection {
    private(set) var headers = HPACKHeaders()
    private let indexing: HPACKIndexing

    init(status: Int, indexing: HPACKIndexing) {
        self.indexing = indexing
        headers.add(name: ":status", value: "\(status)", indexing: indexing)
    }

    mutating func add(_ name: String, _ start: String, _ number: Int?, _ end: String) {
        let value = start + (number.map { String($0) } ?? "") + end
        // RFC 9113 8.2.1: names are in lower case, and values have no blanks around them.
        headers.add(name: name.lowercased(), value: String(value[...].trimmingBlanks), indexing: indexing)
    }
}

/// The fields as names and values.
struct FieldPairs: FieldSection {
    private(set) var pairs: [(String, String)] = []

    mutating func add(_ name: String, _ start: String, _ number: Int?, _ end: String) {
        pairs.append((name, start + (number.map { String($0) } ?? "") + end))
    }
}
