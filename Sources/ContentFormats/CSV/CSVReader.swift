package import RestEngine

/// Makes values of the rows of a table that comes in pieces.
package final class CSVReader {
    private let options: CSV.Options
    private let stop: StopFlag
    private var scanner: CSVScanner
    /// The names of the columns; nil as long as they aren't known, and if there are none.
    private var names: [String]?
    /// The type of each column.
    private var types: [CSV.Kind] = []
    /// The number of fields of each row.
    private var width: Int?

    package init(_ options: CSV.Options, _ stop: StopFlag = StopFlag()) {
        (self.options, self.stop) = (options, stop)
        scanner = CSVScanner(separator: options.separator, rowBytes: options.rowBytes)
        if case .names(let names) = options.header {
            (self.names, width) = (names, names.count)
            types = columnTypes(names.count)
        }
    }

    /// Writes the rows that are complete, as elements of an array.
    package func read(_ bytes: [UInt8], into builder: inout Tree.Builder) throws(FormatError) {
        try scanner.read(bytes) { row, place throws(FormatError) in try take(row, place, &builder) }
    }

    /// Writes the last row.
    package func finish(into builder: inout Tree.Builder) throws(FormatError) {
        try scanner.finish { row, place throws(FormatError) in try take(row, place, &builder) }
    }

    private func take(
        _ row: CSVScanner.Row, _ place: FormatError.Place, _ builder: inout Tree.Builder
    ) throws(FormatError) {
        try stop.check()
        if options.header == .row, names == nil { return try takeHeader(row, place) }
        if width == nil {
            width = row.ends.count
            types = columnTypes(row.ends.count)
        }
        guard options.ragged || row.ends.count == width else {
            throw fault(place, "it has \(row.ends.count) fields, and the first row \(width ?? 0)")
        }
        if let names {
            builder.beginObject()
            for index in row.ends.indices {
                builder.key(index < names.count ? names[index] : "\(index + 1)")
                try write(row.field(index), index, place, &builder)
            }
        } else {
            builder.beginArray()
            for index in row.ends.indices { try write(row.field(index), index, place, &builder) }
        }
        builder.end()
        try options.limits.requireBytes(builder.byteCount, CSV.name, at: place)
    }

    private func takeHeader(_ row: CSVScanner.Row, _ place: FormatError.Place) throws(FormatError) {
        let names = row.ends.indices.map { String(decoding: row.field($0), as: UTF8.self) }
        var known: Set<String> = []
        for name in names where !known.insert(name).inserted {
            throw fault(place, "two columns have the name '\(name.prefix(60))'")
        }
        for name in options.types.keys.sorted() where !known.contains(name) && Int(name) == nil {
            throw fault(place, "no column has the name '\(name.prefix(60))', whose type is given")
        }
        (self.names, width) = (names, names.count)
        types = columnTypes(names.count)
    }

    private func columnTypes(_ count: Int) -> [CSV.Kind] {
        (0..<count).map { index in
            names.flatMap { options.types[$0[index]] } ?? options.types["\(index + 1)"] ?? .string
        }
    }

    private func fault(_ place: FormatError.Place, _ message: String) -> FormatError {
        FormatError(CSV.name, at: place, message)
    }

    // MARK: Values

    private func write(
        _ field: ArraySlice<UInt8>, _ index: Int, _ place: FormatError.Place, _ builder: inout Tree.Builder
    ) throws(FormatError) {
        let kind = index < types.count ? types[index] : .string
        guard kind != .string else { return builder.string(utf8: field) }
        guard !field.isEmpty else { return builder.null() }
        let text = String(decoding: field, as: UTF8.self)
        switch kind {
        case .string: return
        case .integer:
            if let int = Int64(text) { return builder.int(int) }
        case .number:
            if let int = Int64(text) { return builder.int(int) }
            if text.utf8.count <= 100, let double = Double(text), double.isFinite {
                return builder.double(double)
            }
        case .boolean:
            switch text.lowercased() {
            case "true", "1": return builder.bool(true)
            case "false", "0": return builder.bool(false)
            default: break
            }
        }
        let column = names.flatMap { index < $0.count ? "'\($0[index])'" : nil } ?? "\(index + 1)"
        throw fault(place, "'\(text.prefix(60))' in column \(column) is no \(kind.rawValue)")
    }
}
