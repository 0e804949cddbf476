/// A document that can't be read, or a value that a format can't express.
public struct FormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where a document has its fault.
    public enum Place: Sendable, Equatable {
        /// Both are counted from 1.
        case line(Int, column: Int)
        /// The first byte is 0.
        case byte(Int)
        /// The row of a table, counted from 1 with its header, and the line where it begins.
        case row(Int, line: Int)
    }

    /// The name for people: `XML`, `CSV`.
    public let format: String
    /// Nil for a value that can't be written.
    public let place: Place?
    /// The fault, as a part of a sentence.
    public let message: String
    /// Whether the document breaks a limit of bytes, and may be well-formed.
    package let isTooLarge: Bool

    package init(_ format: String, at place: Place?, _ message: String, isTooLarge: Bool = false) {
        (self.format, self.place, self.message) = (format, place, message)
        self.isTooLarge = isTooLarge
    }

    /// The numbers of its place, by the names that scripts have for them.
    package var fields: [(name: String, number: Int)] {
        switch place {
        case .line(let line, let column): [("line", line), ("column", column)]
        case .byte(let offset): [("offset", offset)]
        case .row(let row, let line): [("row", row), ("line", line)]
        case nil: []
        }
    }

    public var description: String {
        guard let place else { return message }
        return "malformed \(format) \(place): \(message)"
    }
}

extension FormatError.Place: CustomStringConvertible {
    public var description: String {
        switch self {
        case .line(let line, let column): "at line \(line), column \(column)"
        case .byte(let offset): "at byte \(offset)"
        case .row(let row, let line): row == line ? "in row \(row)" : "in row \(row), line \(line)"
        }
    }
}
