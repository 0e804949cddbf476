import NIOCore
import NIOHPACK
import RestEngine

/// Where the contributors to a ``ResponseHead`` write its fields (RFC 9110 5).
protocol FieldSection {
    /// The value is `start`, `number` and `end` behind each other. They come apart, as most values with a
    /// number would otherwise be joined in a text of their own.
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
        let digits = number.map { String($0) } ?? ""
        let count = name.utf8.count + start.utf8.count + digits.utf8.count + end.utf8.count + 4
        // A line in one go: of small pieces the writing is most of the work.
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
            var room = room
            room.take(name)
            room.take(": ")
            room.take(start)
            room.take(digits)
            room.take(end)
            room.take("\r\n")
            return count
        }
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
        // RFC 9113 8.2.1: in lower case, and without blanks around the value.
        headers.add(name: name.lowercased(), value: String(value[...].trimmingBlanks), indexing: indexing)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes a text at its beginning, and begins behind it.
    fileprivate mutating func take(_ text: String) {
        copyBytes(from: text.utf8)
        self = UnsafeMutableRawBufferPointer(rebasing: self[text.utf8.count...])
    }
}
