import LuaRuntime
import RestEngine

/// The options of `resource:request`.
struct RequestOptionsBinding: ScriptBinding {
    unowned let context: ScriptContext

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
            request.query = try values.params(call.lua, place)
            call.lua.pop()
        }
        request.mutate = try options.scriptFunction("mutate").map(DraftBinding(context: context).mutation)
        request.idempotencyKey = try idempotencyKey(options)
        request.file = try options.string("to_file").map { try context.grants.writablePath($0) }
        let body = try body(options)?.body
        try options.finish()
        let sent = Method.normalized(method) ?? method
        switch body {
        case .none: break
        case .failure(let cause)?: return resource.failedRequest(cause.cause, method: sent)
        case .success(let body)?: request.body = body
        }
        if let problem = request.sentHeaders.problem {
            let place = call.lua.callerPlace
            return resource.failedRequest(
                .scriptError(.init(message: problem, file: place?.file, line: place?.line)), method: sent)
        }
        return resource.request(Method(method), request)
    }

    /// The key given, or a new one for `true`.
    private func idempotencyKey(_ options: OptionTable) throws -> String? {
        guard let place = options.value("idempotency_key") else { return nil }
        defer { options.lua.pop() }
        if let key = options.lua.string(place) { return key }
        guard let isWanted = options.lua.boolean(place) else {
            throw LuaUsageError(
                "option 'idempotency_key' is a string, or true for a random one, not a \(options.lua.typeName(place))"
            )
        }
        return isWanted ? IdempotencyKey.random() : nil
    }

    /// The one body that the options name. What can't be encoded makes a failed request, not an error here.
    func body(_ options: OptionTable) throws -> GivenBody? {
        var found: [GivenBody] = []
        func add(_ kind: DefinedBody.Kind, _ body: Result<RequestBody, RequestError.CauseError>) {
            found.append(GivenBody(kind: kind, body: body))
        }
        if let bytes = try options.rawBytes("body") { add(.body, .success(.bytes(bytes))) }
        let charset = try options.string("charset")
        if let bytes = try options.bytes("text") {
            add(.text, text(bytes, charset: charset ?? "utf-8"))
        } else if charset != nil {
            throw LuaUsageError(
                "option 'charset' goes with 'text': give a content_type with a charset instead")
        }
        if let place = options.value("json") {
            defer { options.lua.pop() }
            do throws(LuaUsageError) {
                add(.json, .success(.json(try trees.tree(options.lua, place))))
            } catch {
                guard error != .spent else { throw error }
                add(.json, .failure(RequestError.CauseError(.invalidJSONObject(message: error.message))))
            }
        }
        if let place = try options.table("form") {
            defer { options.lua.pop() }
            add(.form, try form(options.lua, place))
        }
        if let place = try options.table("multipart") {
            defer { options.lua.pop() }
            add(.multipart, try multipart(options.lua, place))
        }
        if let path = try options.string("file") {
            add(.file, context.grants.uploadPath(path).map { .file(path: $0) })
        }
        guard found.count <= 1 else {
            throw LuaUsageError(
                "a request has one body: give one of body, text, json, form, multipart, file")
        }
        return found.first
    }

    private func text(
        _ bytes: [UInt8], charset: String
    ) -> Result<RequestBody, RequestError.CauseError> {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .failure(
                RequestError.CauseError(.unencodableText(encoding: charset, text: RawText(bytes))))
        }
        return .success(.text(text, charset: charset))
    }

    /// A table of names and values, whose encoded pairs are sorted (rule 6.6), or a list of pairs, which
    /// stay in their order.
    private func form(
        _ lua: Lua, _ place: Int32
    ) throws -> Result<RequestBody, RequestError.CauseError> {
        let given = try values.rawParams(lua, place, .form)
        var pairs: [(String, String)] = []
        for param in given.params {
            for value in param.values ?? [] {
                for text in [param.name, value] where String(validating: text, as: UTF8.self) == nil {
                    return .failure(RequestError.CauseError(.notURLEncodable(string: RawText(text))))
                }
                pairs.append(
                    (String(decoding: param.name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            }
        }
        return .success(.form(pairs, isOrdered: given.isList))
    }
}

/// The body that options name, or why it is none.
struct GivenBody {
    let kind: DefinedBody.Kind
    let body: Result<RequestBody, RequestError.CauseError>
}

extension RequestOptions {
    /// The headers that the options themselves set.
    fileprivate var sentHeaders: Headers {
        var sent = headers
        if let contentType { sent.set("Content-Type", contentType) }
        if let idempotencyKey { sent.set("Idempotency-Key", idempotencyKey) }
        return sent
    }
}
