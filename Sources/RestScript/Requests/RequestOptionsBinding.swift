import LuaRuntime
import Platform
import RestEngine

/// The options of `resource:request`.
struct GivenRequest {
    var options = RequestOptions()
    /// The index of the value on the stack.
    var query: Int32?
    var mutate: ScriptFunction?
    var body = BodyOptions()

    private static let own: [ScriptOption<GivenRequest>] = [
        .text("content_type", "The content type, in place of the default for the kind of body.") {
            $0.options.contentType = $1
        },
        .init("headers", type: "headers", "Headers, which replace those of blocks.") { options, given, _ in
            guard let place = try options.table("headers") else { return }
            defer { options.lua.pop() }
            given.options.headers = try options.lua.headers(place)
        },
        .place(
            "query", type: "table", isTable: true,
            "Parameters that are added to the URL, by name or as a list of pairs; `rest.null` removes one."
        ) { $0.query = $1 },
        .function(
            "mutate", type: "function(draft)", "Edits the request before the mutators of blocks."
        ) { $0.mutate = $1 },
        .idempotencyKey { given, choice in
            given.options.idempotencyKey =
                switch choice {
                case .key(let key)?: key
                case .random?: IdempotencyKey.random()
                case nil: nil
                }
        },
        .text(
            "to_file", of: .writeFile,
            "A path for the body of a success. The file is replaced when the body is complete; no transformer runs."
        ) { $0.options.file = $1 },
    ]

    private static let ofBody = BodyOptions.fields.map {
        (field: ScriptOption<BodyOptions>) -> ScriptOption<GivenRequest> in
        field.within { try $1(&$0.body) }
    }

    static let schema = ScriptSchema<GivenRequest>(own + ofBody)
}

/// Makes the requests of scripts.
struct RequestOptionsBinding: ScriptBinding {
    unowned let context: ScriptContext

    /// `resource:request(method, options)`.
    func request(_ resource: Resource, _ method: String, _ call: Arguments) throws -> Request {
        let options = try call.options(2)
        var given = GivenRequest()
        try options.read(GivenRequest.schema, into: &given) { try context.grant($0, $1) }
        var request = given.options
        if let place = given.query { request.query = try values.params(call.lua, place) }
        request.mutate = given.mutate.map(DraftBinding(context: context).mutation)
        let body = try body(given.body, of: options)?.body
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

    /// The body that the options name. When it can't be encoded, the request fails; this function raises no
    /// error.
    func body(_ given: BodyOptions, of options: OptionTable) throws -> GivenBody? {
        var found: [GivenBody] = []
        func add(_ kind: DefinedBody.Kind, _ body: Result<RequestBody, RequestError.CauseError>) {
            found.append(GivenBody(kind: kind, body: body))
        }
        if let place = given.body {
            // A value of another type is an error of the option.
            let bytes = try options.lua.rawBytes(place) ?? options.rawBytes("body")
            if let bytes { add(.body, .success(.bytes(bytes))) }
        }
        if let bytes = given.text {
            add(.text, text(bytes, charset: given.charset ?? "utf-8"))
        } else if given.charset != nil {
            throw LuaUsageError(
                "option 'charset' goes with 'text': give a content_type with a charset instead")
        }
        if let place = given.json {
            do throws(LuaUsageError) {
                add(.json, .success(.json(try trees.tree(options.lua, place))))
            } catch {
                guard error != .spent else { throw error }
                add(.json, .failure(RequestError.CauseError(.invalidJSONObject(message: error.message))))
            }
        }
        if let place = given.form { add(.form, try form(options.lua, place)) }
        if let place = given.multipart { add(.multipart, try multipart(options.lua, place)) }
        if let path = given.file { add(.file, context.grants.uploadPath(path).map { .file(path: $0) }) }
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

    /// The pairs of a form. Those of a table are sorted after encoding (rule 6.6); those of a list stay in
    /// their order.
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

extension RequestOptions {
    /// The headers that the options set themselves.
    fileprivate var sentHeaders: Headers {
        var sent = headers
        if let contentType { sent.set("Content-Type", contentType) }
        if let idempotencyKey { sent.set("Idempotency-Key", idempotencyKey) }
        return sent
    }
}
