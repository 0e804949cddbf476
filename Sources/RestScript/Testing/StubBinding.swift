import LuaRuntime
import RestEngine

/// A stub as a Lua object.
final class TestStub: LuaObject {
    let stub: StubTransport.Stub
    let host: TestHost

    init(_ stub: StubTransport.Stub, _ host: TestHost) {
        self.stub = stub
        self.host = host
    }

    /// A test decides itself how much it records.
    var keptBytes: Int { 512 }
}

/// The function of a stub. The host releases it at the end, because it may hold the stub.
@EngineActor
final class StubReplyFunction {
    var function: LuaReference?
    init(_ function: LuaReference) { self.function = function }
}

extension ScriptTestFile {
    func makeStubClass() -> LuaClass {
        LuaClass(
            "stub", documentation: "Answers in place of a server; made by host:stub.",
            methods: [
                method("go", "()", "Opens the gate, for waiting requests and for all later ones.") {
                    [unowned self] call in
                    try requireUnfailed()
                    try call.receiver(as: TestStub.self).stub.go()
                    return .none
                }
            ],
            properties: [
                property(
                    "requests", "table[]",
                    "The requests that it answered, in order: `{ method, url, headers, body }`. Names of headers may be in any case; they are listed in lower case."
                ) { [unowned self] call in
                    let stub = try call.receiver(as: TestStub.self)
                    call.lua.newTable(array: Int32(stub.stub.requests.count))
                    for (index, request) in stub.stub.requests.enumerated() {
                        push(request, on: call.lua)
                        call.lua.rawSet(-2, index + 1)
                    }
                    return .one
                }
            ],
            tostring: { object in
                // Lua calls this on the thread of its state, which is the engine loop's.
                EngineActor.assumeIsolated {
                    (object as? TestStub).map { "stub \($0.stub.summary)" } ?? "stub"
                }
            })
    }

    private func pushHeadersMetatable(on lua: Lua) {
        if let headersMetatable { return lua.push(headersMetatable) }
        lua.newTable(record: 1)
        lua.push(
            function: { call in
                // The keys of the table are in lower case.
                guard call.type(1) == .table, let name = call.lua.string(2)?.lowercased() else {
                    call.lua.pushNil()
                    return .one
                }
                call.lua.rawGet(1, name)
                return .one
            }, name: "headers.__index")
        lua.rawSet(-2, "__index")
        lua.push(false)
        lua.rawSet(-2, "__metatable")
        headersMetatable = lua.reference(-1)
    }

    /// Pushes a request as a table for tests.
    private func push(_ request: TransportRequest, on lua: Lua) {
        lua.newTable(record: 4)
        lua.push(request.method)
        lua.rawSet(-2, "method")
        lua.push(request.url)
        lua.rawSet(-2, "url")
        lua.push(request.headers)
        pushHeadersMetatable(on: lua)
        lua.setMetatable(-2)
        lua.rawSet(-2, "headers")
        if let body = request.body {
            lua.push(bytes: body)
            lua.rawSet(-2, "body")
        }
    }

    /// `host:stub(method, url_glob, reply)`.
    func makeStub(_ call: Arguments, _ host: TestHost) throws -> TestStub {
        var method: Method?
        let name = call.isAbsent(1) ? "*" : try call.string(1, "method")
        if name != "*" {
            guard Method.isToken(name) else {
                throw call.bad(1, "method", "'\(name)' is not a method")
            }
            method = Method(name)
        }
        let glob = try call.string(2, "url_glob")
        let base = try base(of: glob, host)
        do throws(PatternError) { _ = try GlobPattern(glob, base: base) } catch {
            throw call.bad(2, "url_glob", "\(error)")
        }
        if call.type(3) == .function {
            let reply = StubReplyFunction(try call.function(3, "reply"))
            host.keep(reply)
            let stub = try host.transport.stub(method: method, urlGlob: glob, base: base) {
                [weak self, weak host] request in
                guard let self, let host else { return .error(TransportError(.internal, message: "no test")) }
                return answer(request, reply, host)
            }
            return TestStub(stub, host)
        }
        let options = try call.options(3, "reply")
        let (reply, condition) = try StubReplyTable(host.context, options).stub()
        return TestStub(
            try host.transport.stub(
                method: method, urlGlob: glob, base: base, when: condition, isHeld: reply.isHeld, reply), host
        )
    }

    /// A glob without a scheme is relative to the host's only service.
    private func base(of glob: String, _ host: TestHost) throws -> BaseURL? {
        let scheme = glob.prefix { $0 != ":" && $0 != "/" && $0 != "*" && $0 != "?" }
        if !scheme.isEmpty, glob[scheme.endIndex...].hasPrefix(":") { return nil }
        let bases = host.script.services.compactMap(\.baseURL)
        guard bases.count == 1 else {
            let reason =
                bases.isEmpty
                ? "the host has no service with a base URL yet" : "the host has several services"
            throw LuaUsageError("the URL '\(glob)' has no scheme, and \(reason): write the whole URL")
        }
        return bases[0]
    }

    /// Calls the test's function. Its errors fail the test, because the script that sends the request can't
    /// know of them.
    private func answer(_ request: TransportRequest, _ source: StubReplyFunction, _ host: TestHost)
        -> StubReply
    {
        let failed = StubReply.error(TransportError(.internal, message: "the function of a stub failed"))
        guard let function = source.function, !host.isClosed else { return failed }
        let lua = home.context.state.main
        let height = lua.top
        defer { lua.setTop(height) }
        lua.push(function)
        let place = lua.place(ofFunction: -1)
        push(request, on: lua)
        do {
            try lua.call(arguments: 1, results: 1, phase: home.context.phases.stubReply)
            guard lua.type(-1) == .table else {
                throw LuaUsageError(
                    "the function of a stub returns a reply, a table, not \(ValueText().text(lua, -1))"
                )
            }
            let options = OptionTable(lua: lua, table: -1, owner: "stub")
            return try StubReplyTable(host.context, options).reply()
        } catch let error as LuaError {
            run?.fail(diagnostic(of: error))
        } catch {
            run?.fail(Diagnostic(.error, "\(error)" + (place.map { "\n  the function is at \($0)" } ?? "")))
        }
        return failed
    }
}
