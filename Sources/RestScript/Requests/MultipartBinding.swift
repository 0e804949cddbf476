import LuaRuntime
import RestEngine

/// The limits of a multipart body in memory.
private enum Most {
    static let parts = 10_000
    static let bytes = 64 << 20
}

extension RequestOptionsBinding {
    /// `multipart = { { name =, value = | file =, filename =, content_type = }, … }`.
    func multipart(
        _ lua: Lua, _ place: Int32
    ) throws -> Result<RequestBody, RequestError.CauseError> {
        let place = lua.absolute(place)
        let count = lua.rawLength(place)
        guard count > 0 else {
            throw LuaUsageError(
                "option 'multipart' is a list of parts: { { name = \"a\", value = \"b\" }, … }")
        }
        guard count <= Most.parts else {
            throw LuaUsageError("option 'multipart' has \(count) parts, and \(Most.parts) are the limit")
        }
        var parts: [MultipartPart] = []
        var bytes = 0
        for item in 1...count {
            try lua.rawItem(place, item)
            defer { lua.pop() }
            guard lua.type(-1) == .table else {
                throw LuaUsageError(
                    "part \(item) of option 'multipart' is a table, not a \(lua.typeName(-1))")
            }
            let options = OptionTable(lua: lua, table: -1, owner: "part \(item) of multipart")
            switch try part(options) {
            case .success(let part):
                if case .bytes(let value) = part.source { bytes += value.count }
                guard bytes <= Most.bytes else {
                    throw LuaUsageError(
                        "the values of option 'multipart' take more than \(Most.bytes >> 20) MiB, which is the limit: "
                            + "give what is large as a file, { name = …, file = … }")
                }
                parts.append(part)
            case .failure(let cause): return .failure(cause)
            }
        }
        return .success(.multipart(parts))
    }

    private func part(_ options: OptionTable) throws -> Result<MultipartPart, RequestError.CauseError> {
        var given = PartOptions()
        try options.read(PartOptions.schema, into: &given)
        let source: Result<MultipartPart.Source, RequestError.CauseError>
        switch (given.value, given.file) {
        case (let value?, nil): source = .success(.bytes(value))
        case (nil, let file?): source = context.grants.uploadPath(file).map { .file(path: $0) }
        default:
            throw LuaUsageError("part '\(given.name)' of option 'multipart' has either a value or a file")
        }
        return source.map {
            MultipartPart(
                name: given.name, source: $0, filename: given.filename, contentType: given.contentType)
        }
    }
}
