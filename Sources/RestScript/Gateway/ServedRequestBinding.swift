import LuaRuntime
import Platform
import RestEngine

/// A client's request as a Lua object, for the function of a route or a hook.
final class ScriptServedRequest: LuaObject {
    let request: ServedRequest
    /// The headers for the API; nil where they and the partition can't be changed.
    var forward: Headers?
    private(set) var partition: String?
    /// Reads the body in pieces.
    private var reader: ServedBodyReader?
    private var isTaken = false

    init(_ request: ServedRequest, forward: Headers? = nil) {
        (self.request, self.forward, partition) = (request, forward, request.partition)
    }

    func setPartition(_ name: String?) throws {
        guard forward != nil else {
            throw LuaUsageError("only the function of gateway:before can set request.partition")
        }
        if let name, name != request.partition, Partition.isOfCredentials(name) {
            throw LuaUsageError(
                "bad partition (names that begin with '\(Partition.credentialsPrefix)' belong to forward.credentials)"
            )
        }
        partition = try name?.checkedPartition()
    }

    var keptBytes: Int { request.heldBytes + (forward?.heldBytes ?? 0) }

    private static let mostFields = 10_000

    /// The body for a reader of its own. One that is read as it arrives is given only once.
    @EngineActor
    func takeSource(_ scheduler: Scheduler) throws -> ServedBodySource {
        if case .arriving = request.body {
            guard !isTaken else {
                throw LuaUsageError(
                    "the body is read as it arrives, and can be read once: by request:read() or by request:parts()"
                )
            }
            isTaken = true
        }
        return ServedBodySource(request.body, scheduler)
    }

    @EngineActor
    func bodyReader(_ scheduler: Scheduler) throws -> ServedBodyReader {
        if let reader { return reader }
        let made = ServedBodyReader(try takeSource(scheduler))
        reader = made
        return made
    }

    /// Throws for a form with so many fields that reading them would hold up the loop.
    func form() throws -> [(name: String, value: String)]? {
        let count = try request.body.wholeBytes().count { $0 == UInt8(ascii: "&") } + 1
        guard count <= Self.mostFields else {
            throw LuaUsageError("a form has \(Self.mostFields) fields at most, and this body \(count)")
        }
        return request.form
    }
}

/// The client of a request as a Lua object.
final class ScriptServedClient: LuaObject {
    let client: ServedClient
    init(_ client: ServedClient) { self.client = client }

    var keptBytes: Int { 256 }
}

/// The head of an answer as a Lua object, for a hook.
final class ScriptServedHead: LuaObject {
    var head: ServedHead
    init(_ head: ServedHead) { self.head = head }

    var keptBytes: Int { 64 + head.headers.heldBytes }
}

/// The Lua classes of clients' requests and of their answers' heads.
struct ServedRequestBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(classes: [
            show(ScriptServedRequest.self, as: makeRequestClass),
            show(ScriptServedClient.self, as: makeClientClass),
            show(ScriptServedHead.self, as: makeResponseClass),
        ])
    }

    private func makeRequestClass() -> LuaClass {
        func field(
            _ name: String, _ type: String, _ documentation: String,
            _ push: @escaping @EngineActor (ServedRequest, Lua) -> Void
        ) -> LuaProperty {
            readOnly(name, type, documentation, of: ScriptServedRequest.self) { push($0.request, $1) }
        }
        return LuaClass(
            "served_request", documentation: "A client's request, for the function of a route or a hook.",
            methods: [
                ServedBodyBinding(context: context).readMethod,
                ServedPartBinding(context: context).partsMethod,
                method(
                    "early_hints", "(headers: headers)",
                    "Sends 103 with these headers, such as Link, before the answer is ready (RFC 8297)."
                ) { call in
                    let request = try call.receiver(as: ScriptServedRequest.self).request
                    let headers = try call.lua.sendableHeaders(try call.table(1, "headers"))
                    request.earlyHints?(headers)
                    return .none
                },
            ],
            properties: [
                field("method", "string", "The method; `GET` for HEAD, too.") { $1.push($0.method) },
                field("path", "string", "The path as the client sent it, without the query.") {
                    $1.push($0.path)
                },
                field(
                    "id", "string",
                    "The ID of the request: the client's `X-Request-Id` if it may choose one, else the gateway's."
                ) { $1.push($0.origin?.id ?? "") },
                field("params", "table", "The values for the names in the route's path, by name.") {
                    push($0.params, on: $1)
                },
                field("query", "parameters", "The decoded parameters; a field is the last one of its name.") {
                    values.push(ScriptParameters($0.query), on: $1)
                },
                property(
                    "form", "parameters?",
                    "The fields of a body that is `application/x-www-form-urlencoded`, else nil; 10,000 at most."
                ) { call in
                    guard let pairs = try call.receiver(as: ScriptServedRequest.self).form() else {
                        call.lua.pushNil()
                        return .one
                    }
                    values.push(ScriptParameters(pairs), on: call.lua)
                    return .one
                },
                field("cookies", "table", "The values of the client's cookies, by name.") {
                    $0.onRead?(.headers)
                    push($0.cookies, on: $1)
                },
                field("headers", "headers", "The headers, read only; names compare without case.") {
                    request, lua in
                    request.onRead?(.headers)
                    values.push(ScriptHeaders(reading: request.headers), on: lua)
                },
                property("body", "string", "The body; empty when there is none.") { call in
                    let request = try call.receiver(as: ScriptServedRequest.self).request
                    call.lua.push(bytes: try request.body.wholeBytes())
                    return .one
                },
                property("json", "any", "The body if it is JSON, else nil.") { call in
                    let body = try call.receiver(as: ScriptServedRequest.self).request.body.wholeBytes()
                    if !body.isEmpty, let tree = try? Tree(json: body) {
                        trees.push(tree, on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                },
                field("client", "served_client", "The client that sent the request.") {
                    $0.onRead?(.client)
                    values.push(ScriptServedClient($0.client), on: $1)
                },
                property(
                    "partition", "string?",
                    "The partition of the resources that it is about; `gateway:before` may set it."
                ) { call in
                    call.lua.push(optional: try call.receiver(as: ScriptServedRequest.self).partition)
                    return .one
                } set: { call in
                    let request = try call.receiver(as: ScriptServedRequest.self)
                    try request.setPartition(try call.optionalText(1, "partition", .name))
                    return .none
                },
                property(
                    "forward", "headers?",
                    "In a hook before the answer: the headers that go to the API. They begin with those that `forward` lets through."
                ) { call in
                    let request = try call.receiver(as: ScriptServedRequest.self)
                    guard request.forward != nil else {
                        call.lua.pushNil()
                        return .one
                    }
                    values.push(
                        ScriptHeaders(
                            of: request, read: { request.forward ?? Headers() },
                            write: { request.forward = $0 }), on: call.lua)
                    return .one
                },
            ])
    }

    private func push(_ pairs: [(name: String, value: String)], on lua: Lua) {
        lua.newTable(record: Int32(pairs.count))
        for (name, value) in pairs {
            lua.push(value)
            lua.rawSet(-2, name)
        }
    }

    private func makeClientClass() -> LuaClass {
        func field(
            _ name: String, _ type: String, _ documentation: String,
            _ push: @escaping @EngineActor (ServedClient, Lua) -> Void
        ) -> LuaProperty {
            readOnly(name, type, documentation, of: ScriptServedClient.self) { push($0.client, $1) }
        }
        return LuaClass(
            "served_client", documentation: "The client that sent a request; as text it is its address.",
            properties: [
                field("name", "string?", "The name of its token or certificate; nil without one.") {
                    $1.push(optional: $0.name)
                },
                field(
                    "address", "string?",
                    "The peer's address, which may be a proxy's; nil on a Unix socket."
                ) { $1.push(optional: $0.address) },
                field("claims", "any", "The claims of its token (JWT); nil without one of an issuer.") {
                    client, lua in
                    guard let claims = client.claims else { return lua.pushNil() }
                    trees.push(claims, on: lua)
                },
                field("certificate", "string[]?", "The names in its certificate; nil without one.") {
                    client, lua in
                    guard !client.certificate.isEmpty else { return lua.pushNil() }
                    lua.newTable(array: Int32(client.certificate.count))
                    for (index, name) in client.certificate.enumerated() {
                        lua.push(name)
                        lua.rawSet(-2, index + 1)
                    }
                },
            ],
            tostring: { ($0 as? ScriptServedClient)?.client.address ?? "unix" })
    }

    private func makeResponseClass() -> LuaClass {
        LuaClass(
            "served_response", documentation: "The head of an answer, for a hook after it.",
            properties: [
                property("status", "integer", "The status.") { call in
                    call.lua.push(try call.receiver(as: ScriptServedHead.self).head.status)
                    return .one
                },
                property(
                    "headers", "headers",
                    "The headers, which may be changed. The gateway itself sets Content-Length, Date, X-Request-Id and those of the connection."
                ) { call in
                    let head = try call.receiver(as: ScriptServedHead.self)
                    values.push(
                        ScriptHeaders(
                            of: head, read: { head.head.headers },
                            write: { headers in
                                if let name = headers.fields.map(\.name).first(where: {
                                    ServedHead.managed.contains($0.lowercased())
                                }) {
                                    throw LuaUsageError("the gateway itself sets the header '\(name)'")
                                }
                                head.head.headers = headers
                            }), on: call.lua)
                    return .one
                },
            ])
    }
}
