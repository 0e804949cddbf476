import CLuaJSON
import LuaRuntime
import RestEngine

/// The limit of headers in one table. More would make an unusable request, and cost much work.
enum MostHeaders {
    static let fields = 1000
    static let bytes = 1 << 20
}

extension Lua {
    /// The values of a header as scripts give them: a string, a number, or a list of them; nil or null
    /// removes it.
    func headerValues(_ index: Int32, name: String) throws -> [String] {
        if cjson_is_null(pointer, index) { return [] }
        switch type(index) {
        case .none, .nil: return []
        case .string:
            guard rawLength(index) <= MostHeaders.bytes else { throw Self.tooLongHeaders }
            return [string(index) ?? ""]
        case .number: return [try tostring(index)]
        case .table:
            let index = absolute(index)
            guard rawLength(index) <= MostHeaders.fields else { throw Self.tooManyHeaders }
            var bytes = 0
            return try (1...max(1, rawLength(index))).flatMap { item -> [String] in
                try rawItem(index, item)
                defer { pop() }
                guard type(-1) != .table else {
                    throw LuaUsageError("the value of header '\(name)' is a list of lists")
                }
                let values = try headerValues(-1, name: name)
                bytes += values.reduce(0) { $0 + $1.utf8.count }
                guard bytes <= MostHeaders.bytes else { throw Self.tooLongHeaders }
                return values
            }
        default:
            throw LuaUsageError(
                "the value of header '\(name)' is a string or a list of strings, not a \(typeName(index))")
        }
    }

    /// A table of headers, sorted by name: a Lua table has no order, and equal requests should look equal.
    /// Null removes a header, because a table can't hold nil.
    func headers(_ table: Int32) throws -> Headers {
        var fields: [(name: String, values: [String])] = []
        var (count, bytes) = (0, 0)
        try forEachPair(table) { lua in
            guard let name = lua.string(-2) else {
                throw LuaUsageError("headers have names: { Accept = \"text/plain\" }")
            }
            let values = try lua.headerValues(-1, name: name)
            fields.append((name, values))
            count += values.count
            bytes += values.reduce(name.utf8.count) { $0 + $1.utf8.count }
            guard count <= MostHeaders.fields else { throw Self.tooManyHeaders }
            guard bytes <= MostHeaders.bytes else { throw Self.tooLongHeaders }
        }
        var headers = Headers()
        for field in fields.sorted(by: { $0.name < $1.name }) {
            if field.values.isEmpty { headers.omit(field.name) }
            for value in field.values { headers.add(field.name, value) }
        }
        return headers
    }

    static var tooLongHeaders: LuaUsageError {
        LuaUsageError("these headers take more than 1 MiB, which is the limit")
    }

    private static var tooManyHeaders: LuaUsageError {
        LuaUsageError("these headers are more than \(MostHeaders.fields) fields, which is the limit")
    }

    /// The same for a request. It refuses headers that can't be sent.
    func sendableHeaders(_ table: Int32) throws -> Headers {
        let headers = try headers(table)
        if let problem = headers.problem { throw LuaUsageError(problem) }
        return headers
    }

    /// Pushes headers as a table with names in lower case. Several values of a name are joined.
    func push(_ headers: Headers) {
        newTable(record: Int32(headers.fields.count))
        for (name, value) in headers.joined {
            push(value)
            rawSet(-2, name)
        }
    }
}
