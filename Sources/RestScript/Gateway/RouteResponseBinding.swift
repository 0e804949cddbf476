import LuaRuntime
import Platform
import RestEngine

/// `rest.response` and `rest.stream_response`.
struct RouteResponseBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "response", "(options: { ... }) -> response",
                    "An answer of a route with more than its content. Give one of `json`, `text`, `body` and `file`, or none.",
                    options: RouteResponse.schema.descriptions
                ) { call in try makeResponse(call) },
                ModuleFunction(
                    "stream_response",
                    "(options?: { ... }, fn: function(write)) -> stream_response",
                    """
                    An answer of a route whose body `fn` writes while it is sent. `write(text)` waits while the client takes no more; \
                    for a stream of events `write{ event =, data =, id =, retry = }` sends one event. `fn` is cancelled when the client \
                    leaves. An error of `fn` breaks the answer off.
                    """, options: AnswerHead.ofStream.descriptions
                ) { call in try makeStream(call) },
            ],
            classes: [show(ScriptStreamResponse.self, as: makeStreamClass)])
    }

    private func makeResponse(_ call: Arguments) throws -> CallResult {
        var given = RouteResponse()
        try call.options(1).read(RouteResponse.schema, into: &given)
        let json = try given.json.map { Content.value(try tree(call.lua, $0)) }
        let file = try given.file.map { Content.bytes(try fileContent($0)) }
        let contents = [json, given.text, given.body, file].compactMap { $0 }
        guard contents.count < 2 else {
            throw LuaUsageError("a response has one of 'json', 'text', 'body' and 'file'")
        }
        let type = given.file.map(FileContentType.of) ?? Self.type(of: contents.first)
        var entity = Entity(
            content: contents.first ?? .bytes([]), headers: given.head.headers(withType: type),
            timestamp: values.now)
        entity.status = given.head.status
        values.push(
            ScriptResponse(.success(entity), expirationSeconds: given.expirationTime), on: call.lua)
        return .one
    }

    private func fileContent(_ path: String) throws -> [UInt8] {
        do { return try FileBinding(context: context).content(of: path) } catch let error as FileError {
            throw LuaUsageError("option 'file' to 'response': \(error.description)")
        }
    }

    private func tree(_ lua: Lua, _ place: Int32) throws -> Tree {
        do { return try trees.tree(lua, place) } catch {
            guard error != .spent else { throw error }
            throw LuaUsageError("option 'json' has no form in JSON: \(error.message)")
        }
    }

    static func type(of content: Content?) -> String {
        switch content {
        case .text?: "text/plain"
        case .value?, .json?: "application/json"
        default: "application/octet-stream"
        }
    }

    // MARK: Streams

    private func makeStream(_ call: Arguments) throws -> CallResult {
        var head = AnswerHead()
        let hasOptions = call.type(1) == .table
        if hasOptions { try call.options(1).read(AnswerHead.ofStream, into: &head) }
        let function = try call.function(hasOptions ? 2 : 1, "fn")
        let headers = head.headers(withType: "text/plain; charset=utf-8")
        values.push(ScriptStreamResponse(context, function, status: head.status, headers), on: call.lua)
        return .one
    }

    private func makeStreamClass() -> LuaClass {
        LuaClass("stream_response", documentation: "An answer whose body is made while it is sent.")
    }
}
