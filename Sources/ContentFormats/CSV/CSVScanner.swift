import RestEngine

/// Splits a table that comes in pieces into rows of fields.
struct CSVScanner {
    /// The fields of a row, one after the other.
    struct Row {
        var bytes: [UInt8] = []
        /// Where each field ends in the bytes.
        var ends: [Int] = []

        func field(_ index: Int) -> ArraySlice<UInt8> {
            bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
        }
    }

    private enum State {
        case start, plain, quoted
        /// Behind a quote in quotes: the end of the field, or the first of two.
        case quote
    }

    private let separator: UInt8
    private let rowBytes: Int
    private var state = State.start
    private var row = Row()
    /// Whether the last byte was a carriage return that ended a row.
    private var isBehindReturn = false
    /// The bytes of a mark at the very beginning that have come.
    private var markBytes = 0
    private var hasBegun = false
    /// The number of the row that is being read, and where it begins.
    private(set) var number = 1
    private var line = 1
    private var firstLine = 1

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(separator: UInt8, rowBytes: Int) {
        (self.separator, self.rowBytes) = (separator, rowBytes)
    }

    var place: FormatError.Place { .row(number, line: firstLine) }

    func fault(_ message: String) -> FormatError { FormatError(CSV.name, at: place, message) }

    /// Calls `give` with each row that is complete.
    mutating func read(_ bytes: [UInt8], _ give: (Row, FormatError.Place) throws(FormatError) -> Void)
        throws(FormatError)
    {
        var index = 0
        while !hasBegun, index < bytes.count {
            if bytes[index] == Self.mark[markBytes] {
                markBytes += 1
                index += 1
                hasBegun = markBytes == 3
            } else {
                row.bytes = Array(Self.mark[..<markBytes])
                if markBytes > 0 { state = .plain }
                hasBegun = true
            }
        }
        while index < bytes.count {
            // Most bytes are neither the first nor the last of a field.
            if state == .plain || state == .quoted {
                let start = index
                while index < bytes.count, !isSpecial(bytes[index]) { index += 1 }
                row.bytes += bytes[start..<index]
                try requireSize()
                guard index < bytes.count else { return }
            }
            try take(bytes[index], give)
            index += 1
        }
    }

    /// Gives the last row, which needs no line break.
    mutating func finish(_ give: (Row, FormatError.Place) throws(FormatError) -> Void) throws(FormatError) {
        if !hasBegun, markBytes > 0 { row.bytes = Array(Self.mark[..<markBytes]) }
        if state == .quoted { throw fault("a quote has no end") }
        if state != .start || !row.ends.isEmpty || !row.bytes.isEmpty { try endRow(give) }
    }

    private func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == separator || byte == 0x0A || byte == 0x0D
    }

    private mutating func take(_ byte: UInt8, _ give: (Row, FormatError.Place) throws(FormatError) -> Void)
        throws(FormatError)
    {
        let isBehindReturn = self.isBehindReturn
        self.isBehindReturn = false
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")): state = .quote
        case (.quoted, _):
            if byte == 0x0A { line += 1 }
            row.bytes.append(byte)
        case (.quote, UInt8(ascii: "\"")):
            row.bytes.append(byte)
            state = .quoted
        case (_, separator): endField()
        case (_, 0x0A):
            line += 1
            if isBehindReturn {
                firstLine = line
                return
            }
            try endRow(give)
        case (_, 0x0D):
            try endRow(give)
            self.isBehindReturn = true
        case (.start, UInt8(ascii: "\"")): state = .quoted
        case (.plain, UInt8(ascii: "\"")):
            throw fault("field \(row.ends.count + 1) has a quote, but doesn't begin with one")
        case (.quote, _): throw fault("field \(row.ends.count + 1) goes on behind its closing quote")
        default:
            row.bytes.append(byte)
            state = .plain
        }
    }

    private mutating func endField() {
        row.ends.append(row.bytes.count)
        state = .start
    }

    private mutating func endRow(_ give: (Row, FormatError.Place) throws(FormatError) -> Void)
        throws(FormatError)
    {
        let isBlank = state == .start && row.ends.isEmpty
        endField()
        try requireSize()
        if !isBlank {
            try give(row, place)
            number += 1
        }
        row.bytes.removeAll(keepingCapacity: true)
        row.ends.removeAll(keepingCapacity: true)
        firstLine = line
    }

    private func requireSize() throws(FormatError) {
        guard row.bytes.count + row.ends.count > rowBytes else { return }
        throw fault("the row is larger than \(rowBytes) bytes: is a quote missing?")
    }
}
