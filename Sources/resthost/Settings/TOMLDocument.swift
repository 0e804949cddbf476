/// The part of TOML 1.0 for settings: tables, bare and quoted keys, strings on one line, integers, floats,
/// booleans and arrays. Dates, inline tables, dotted keys, arrays of tables and strings of several lines are
/// refused with their names.
///
/// A library for all of TOML would be a further dependency, in C++, for a file of a dozen lines.
struct TOMLDocument: Equatable {
    indirect enum Value: Equatable {
        case string(String)
        case integer(Int64)
        case float(Double)
        case boolean(Bool)
        case array([Value])

        var kind: String {
            switch self {
            case .string: "a string"
            case .integer, .float: "a number"
            case .boolean: "a boolean"
            case .array: "an array"
            }
        }
    }

    struct Entry: Equatable {
        /// Empty before the first table.
        let table: String
        let key: String
        let value: Value
        let line: Int
    }

    struct Fault: Error, Equatable {
        let line: Int
        let message: String
    }

    private(set) var entries: [Entry] = []
    /// The names and lines of the tables.
    private(set) var tables: [(name: String, line: Int)] = []

    static func == (left: Self, right: Self) -> Bool {
        left.entries == right.entries && left.tables.map(\.name) == right.tables.map(\.name)
    }

    init(_ text: String) throws(Fault) {
        var reader = TOMLReader(text)
        var table = ""
        while reader.skipToContent() {
            let line = reader.line
            if reader.take("[") {
                if reader.take("[") { throw reader.fault("arrays of tables are not known here") }
                table = try reader.key()
                guard reader.take("]") else { throw reader.fault("']' is missing after the table's name") }
                guard !tables.contains(where: { $0.name == table }) else {
                    throw Fault(line: line, message: "the table '\(table)' is there twice")
                }
                tables.append((table, line))
            } else {
                let key = try reader.key()
                guard reader.take("=") else { throw reader.fault("'=' is missing after '\(key)'") }
                let value = try reader.value()
                guard !entries.contains(where: { $0.table == table && $0.key == key }) else {
                    throw Fault(line: line, message: "'\(key)' is there twice")
                }
                entries.append(Entry(table: table, key: key, value: value, line: line))
            }
            try reader.endLine()
        }
    }
}
