import RestEngine

/// Writes rows as a text, with the line breaks of RFC 4180.
struct CSVWriter {
    private(set) var text: [UInt8] = []
    private let separator: UInt8
    private let stop: StopFlag

    init(_ separator: UInt8, _ stop: StopFlag) { (self.separator, self.stop) = (separator, stop) }

    mutating func rows(_ rows: Tree, _ header: [String]?) throws(FormatError) {
        guard rows.isList else {
            throw Self.fault("the rows are a list")
        }
        var names = header
        var width = header?.count
        if let header { try row(header.map { Array($0.utf8) }) }
        for (index, given) in rows.elements.enumerated() {
            try stop.check()
            let number = index + 1
            if given.kind == .object, given.count > 0 || names != nil {
                if names == nil {
                    guard width == nil else {
                        throw Self.fault("row \(number) has names, and the first has none")
                    }
                    let first = given.pairs.map(\.key).sorted()
                    (names, width) = (first, first.count)
                    try row(first.map { Array($0.utf8) })
                }
                try row(try fields(of: given, names ?? [], isChosen: header != nil, number))
                continue
            }
            guard given.isList else {
                throw Self.fault("row \(number) is a \(given.kind.typeName), not a table")
            }
            if names != nil, header == nil {
                throw Self.fault("row \(number) has no names, and the first has")
            }
            guard given.count == width ?? given.count else {
                throw Self.fault("row \(number) has \(given.count) fields, and the first row \(width ?? 0)")
            }
            width = given.count
            var fields: [[UInt8]] = []
            for value in given.elements {
                fields.append(try Self.field(value, number, "\(fields.count + 1)"))
            }
            try row(fields)
        }
    }

    /// - Parameter isChosen: Whether the script chose the columns: then others are left out.
    private func fields(
        of row: Tree, _ names: [String], isChosen: Bool, _ number: Int
    ) throws(FormatError) -> [[UInt8]] {
        var values: [String: Tree] = [:]
        for (key, value) in row.pairs { values[key] = value }
        var fields: [[UInt8]] = []
        for name in names {
            fields.append(
                try values.removeValue(forKey: name).map { value throws(FormatError) in
                    try Self.field(value, number, "'\(name)'")
                } ?? [])
        }
        if !isChosen, let further = values.keys.min() {
            throw Self.fault(
                "row \(number) has the field '\(further.prefix(60))', which the first row lacks: name the columns in 'header'"
            )
        }
        return fields
    }

    private static func field(_ value: Tree, _ row: Int, _ column: String) throws(FormatError) -> [UInt8] {
        switch value.kind {
        case .null: return []
        case .string: return Array(value.bytes ?? [])
        case .boolean, .integer: return Array("\(value)".utf8)
        case .double:
            if value.double?.isFinite == true { return Array("\(value)".utf8) }
        case .array, .object, .table: break
        }
        throw fault("column \(column) of row \(row) is a \(value.kind.typeName) that has no text")
    }

    private mutating func row(_ fields: [[UInt8]]) throws(FormatError) {
        for (index, field) in fields.enumerated() {
            if index > 0 { text.append(separator) }
            // A blank line would be no row.
            if needsQuotes(field) || (field.isEmpty && fields.count == 1) {
                text.append(UInt8(ascii: "\""))
                for byte in field {
                    if byte == UInt8(ascii: "\"") { text.append(byte) }
                    text.append(byte)
                }
                text.append(UInt8(ascii: "\""))
            } else {
                text += field
            }
        }
        text += [0x0D, 0x0A]
    }

    private func needsQuotes(_ field: [UInt8]) -> Bool {
        guard let first = field.first, let last = field.last else { return false }
        // A mark at the very beginning would be taken off.
        return first == 0x20 || last == 0x20 || first == 0xEF
            || field.contains { $0 == separator || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
    }

    private static func fault(_ message: String) -> FormatError { FormatError(CSV.name, at: nil, message) }
}
