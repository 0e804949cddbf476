import LuaRuntime
import RestEngine

extension ScriptContext {
    /// `resource:request(method, options)`.
    func request(_ resource: Resource, _ method: String, _ call: Arguments) throws -> Request {
        let options = try call.options(2)
        var request = RequestOptions()
        request.contentType = try options.string("content_type")
        if let place = try options.table("headers") {
            request.headers = try call.lua.headers(place)
            call.lua.pop()
        }
        if let place = try options.table("query") {
            request.query = try params(call.lua, place)
            call.lua.pop()
        }
        request.mutate = try options.function("mutate").map(mutation)
        let body = try bodies(options)
        try options.finish()
        guard body.count <= 1 else {
            throw LuaUsageError("a request has one body: give one of body, text, json, form")
        }
        switch body.first {
        case .none: break
        case .failure(let cause)?:
            return resource.failedRequest(cause.cause, method: Method.normalized(method) ?? method)
        case .success(let body)?: request.body = body
        }
        return resource.request(method, request)
    }

    /// The bodies that the options name. What can't be encoded makes a failed request, not an error here.
    private func bodies(_ options: OptionTable) throws -> [Result<RequestBody, RequestError.CauseError>] {
        var found: [Result<RequestBody, RequestError.CauseError>] = []
        if let bytes = try options.bytes("body") { found.append(.success(.bytes(bytes))) }
        let charset = try options.string("charset") ?? "utf-8"
        if let bytes = try options.bytes("text") {
            if let text = String(validating: bytes, as: UTF8.self) {
                found.append(.success(.text(text, charset: charset)))
            } else {
                let text = String(decoding: bytes, as: UTF8.self)
                found.append(
                    .failure(RequestError.CauseError(.unencodableText(encoding: charset, text: text))))
            }
        }
        if let place = options.value("json") {
            defer { options.lua.pop() }
            do throws(LuaUsageError) {
                found.append(.success(.json(try trees.tree(options.lua, place))))
            } catch {
                found.append(.failure(RequestError.CauseError(.invalidJSONObject(message: error.message))))
            }
        }
        if let place = try options.table("form") {
            defer { options.lua.pop() }
            found.append(try form(options.lua, place))
        }
        return found
    }

    /// A table of names and values, or a list of pairs.
    private func form(_ lua: Lua, _ place: Int32) throws -> Result<RequestBody, RequestError.CauseError> {
        var pairs: [(name: String, value: String)] = []
        for item in try params(lua, place) {
            for value in item.values ?? [] {
                for text in [item.name, value] where text.unicodeScalars.contains("\u{FFFD}") {
                    return .failure(RequestError.CauseError(.notURLEncodable(string: text)))
                }
                pairs.append((item.name, value))
            }
        }
        return .success(.form(pairs))
    }

    /// Parameters: `{ name = value | list | null }` or `{ { name, value }, … }`.
    func params(_ lua: Lua, _ place: Int32) throws -> [(name: String, values: [String]?)] {
        let place = lua.absolute(place)
        var params: [(name: String, values: [String]?)] = []
        let count = lua.rawLength(place)
        for item in 0..<count {
            lua.rawGet(place, item + 1)
            defer { lua.pop() }
            guard lua.type(-1) == .table else {
                throw LuaUsageError("parameters are { name = value } or a list of pairs { name, value }")
            }
            let pair = lua.absolute(-1)
            lua.rawGet(pair, 1)
            let name = lua.string(-1)
            lua.rawGet(pair, 2)
            defer { lua.pop(2) }
            guard let name else { throw LuaUsageError("the name of a parameter is a string") }
            let values = try paramValues(lua, -1, name)
            if let known = params.firstIndex(where: { $0.name == name }), let values {
                params[known].values = (params[known].values ?? []) + values
            } else {
                params.append((name, values))
            }
        }
        if count > 0 { return params }
        try lua.forEachPair(place) { lua in
            guard let name = lua.string(-2) else {
                throw LuaUsageError("the name of a parameter is a string")
            }
            params.append((name, try paramValues(lua, -1, name)))
        }
        return params.sorted { $0.name < $1.name }
    }

    /// The value of a parameter: text, number, boolean, a list of them; nil or null removes.
    func paramValues(_ lua: Lua, _ index: Int32, _ name: String) throws -> [String]? {
        if trees.isNull(lua, index) { return nil }
        switch lua.type(index) {
        case .none, .nil: return nil
        case .string, .number: return [try lua.tostring(index)]
        case .boolean: return [lua.isTruthy(index) ? "true" : "false"]
        case .table:
            let index = lua.absolute(index)
            return try (0..<lua.rawLength(index)).flatMap { item -> [String] in
                lua.rawGet(index, item + 1)
                defer { lua.pop() }
                guard lua.type(-1) != .table else {
                    throw LuaUsageError("the value of parameter '\(name)' is a list of lists")
                }
                return try paramValues(lua, -1, name) ?? []
            }
        default:
            throw LuaUsageError("the value of parameter '\(name)' can't be a \(lua.typeName(index))")
        }
    }
}
