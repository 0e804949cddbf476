import LuaRuntime
package import RestEngine

/// The way a person takes part in a login.
@EngineActor
package protocol LoginTerminal: AnyObject {
    func show(_ text: String)

    /// Asks for a line. `answer` gets it without its end; nil when the input has ended.
    func ask(_ prompt: String, _ answer: @escaping @EngineActor (String?) -> Void)

    /// Listens on the loopback address for the redirect of a browser, and returns the URL to redirect to.
    ///
    /// - Parameter url: The URL that the server knows, if it is fixed.
    /// - Returns: Nil when it can't listen: then the person pastes the address.
    func listen(for url: String?) -> String?

    /// Waits for the redirect; `answer` gets its query, or nil when none came in time.
    func awaitRedirect(_ answer: @escaping @EngineActor (String?) -> Void)
}

/// Logins of the plugin `oauth2` in a script.
@EngineActor
package struct ScriptLogin {
    private let context: ScriptContext

    package init(_ host: ScriptHost) { context = host.context }

    private static let module = "resthost.oauth2"

    /// The names of the services that need a login; none when the script doesn't use the plugin.
    package func names() throws -> [String] {
        guard context.sandbox.isLoaded(Self.module) else { return [] }
        let lua = context.state.main
        let height = lua.top
        defer { lua.setTop(height) }
        try pushLogins(lua)
        let list = lua.top
        return (0..<lua.rawLength(list)).map { place in
            lua.rawGet(list, place + 1)
            defer { lua.setTop(list) }
            return lua.text(lua.top, "name") ?? ""
        }
    }

    /// Runs the login of one service. `done` gets nil for success, or the reason of the failure.
    package func run(
        _ number: Int, _ terminal: any LoginTerminal, done: @escaping @EngineActor (String?) -> Void
    ) throws {
        let lua = context.state.main
        let height = lua.top
        defer { lua.setTop(height) }
        try pushLogins(lua)
        lua.rawGet(-1, number)
        lua.rawGet(-1, "login")
        let function = lua.reference(-1)
        context.sandbox.spawn(
            function, phase: context.phases.job,
            arguments: { lua in
                push(terminal, on: lua)
                return 1
            },
            completion: onLoop { (lua: Lua, result: Result<Int32, LuaError>) in
                switch result {
                case .success(let count):
                    let first = lua.top - count + 1
                    let isDone = count > 0 && lua.isTruthy(first)
                    let reason = count > 1 ? (try? lua.tostring(first + 1)) : nil
                    done(isDone ? nil : reason ?? "the login failed")
                case .failure(let error): done(error.description)
                }
            })
    }

    /// Pushes the list of logins.
    private func pushLogins(_ lua: Lua) throws {
        try context.sandbox.pushModule(Self.module, on: lua)
        lua.rawGet(-1, "logins")
        lua.remove(-2)
        try lua.call(arguments: 0, results: 1, phase: context.phases.load)
    }

    /// Pushes the table `terminal` of a login function.
    private func push(_ terminal: any LoginTerminal, on lua: Lua) {
        func set(_ name: String, _ function: @escaping @EngineActor (Arguments) throws -> CallResult) {
            lua.push(function: hostFunction(function), name: name)
            lua.rawSet(-2, name)
        }
        func answered(_ waiter: LuaWaiter) -> @EngineActor (String?) -> Void {
            { text in
                waiter.resume { lua in
                    lua.push(optional: text)
                    return 1
                }
            }
        }
        lua.newTable(record: 3)
        set("print") { call in
            terminal.show(try call.string(1, "text"))
            return .none
        }
        set("ask") { call in
            let prompt = try call.string(1, "prompt")
            return .wait { terminal.ask(prompt, answered($0)) }
        }
        set("listen") { call in
            guard let url = terminal.listen(for: call.isAbsent(1) ? nil : try call.string(1, "url")) else {
                return .none
            }
            call.lua.push(url)
            call.lua.push(
                function: hostFunction { _ in .wait { terminal.awaitRedirect(answered($0)) } }, name: "wait")
            return .results(2)
        }
    }
}
