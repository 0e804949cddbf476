package import RestEngine

/// Tables of values with a separator (RFC 4180). Fields are bytes: UTF-8, unless the caller wants others.
package enum CSV {
    static let name = "CSV"

    /// Where the names of the columns come from.
    package enum Header: Sendable, Equatable {
        /// From the first row.
        case row
        /// The table has none: rows are arrays.
        case none
        /// From here: the first row is a row like the others.
        case names([String])
    }

    /// The type of a column's values. An empty field that is no text is null.
    package enum Kind: String, Sendable, CaseIterable {
        case string, number, integer, boolean
    }

    /// The options of the decoder.
    package struct Options: Sendable {
        package var header = Header.row
        package var separator = UInt8(ascii: ",")
        /// Allows rows with fewer or more fields than the first one.
        package var ragged = false
        /// By the column's name, or its number as a text.
        package var types: [String: Kind] = [:]
        /// The bytes of the fields of a row.
        package var rowBytes = 1 << 20
        package var limits = FormatLimits()

        package init() {}
    }

    /// Decodes a whole table into an array of its rows.
    package static func decode(
        _ bytes: [UInt8], _ options: Options = Options(), stop: StopFlag = StopFlag()
    ) throws(FormatError) -> Tree {
        let reader = CSVReader(options, stop)
        var builder = Tree.Builder()
        builder.beginArray()
        try reader.read(bytes, into: &builder)
        try reader.finish(into: &builder)
        builder.end()
        return builder.finish()
    }

    /// The text of rows that are arrays, or objects.
    ///
    /// - Parameter header: The columns, in this order; nil: those of the first row if it is an object.
    package static func encode(
        _ rows: Tree, header: [String]? = nil, separator: UInt8 = UInt8(ascii: ","),
        stop: StopFlag = StopFlag()
    ) throws(FormatError) -> [UInt8] {
        var writer = CSVWriter(separator, stop)
        try writer.rows(rows, header)
        return writer.text
    }
}
