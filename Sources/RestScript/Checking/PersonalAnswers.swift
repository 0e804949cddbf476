import RestEngine

/// Calls of `gateway:route` whose function reads `request.client`, found in the text of a file.
struct PersonalAnswers {
    private let tokens: [LuaTokens.Token]
    /// Parts of a request that have fields of their own.
    private static let parts: Set<String> = ["query", "params", "json", "form", "headers", "cookies"]

    init(_ source: [UInt8]) { tokens = Array(LuaTokens(source)) }

    /// Whether the function of the route that is declared in this line reads `.client`.
    func readsClient(routeAt line: Int) -> Bool {
        guard let start = tokens.firstIndex(where: { $0.line == line && $0.kind == .name("route") }) else {
            return false
        }
        var depth = 0
        for place in tokens.indices.dropFirst(start + 1) {
            switch tokens[place].kind {
            case .symbol(UInt8(ascii: "(")): depth += 1
            case .symbol(UInt8(ascii: ")")):
                depth -= 1
                if depth <= 0 { return false }
            case .name("client") where tokens[place - 1].kind == .symbol(UInt8(ascii: ".")):
                // A parameter or a field may have this name.
                if case .name(let owner) = tokens[place - 2].kind, !Self.parts.contains(owner) { return true }
            default: break
            }
        }
        return false
    }
}

extension ScriptContext {
    /// Warnings about routes whose answers are to be kept, and will not be, because they depend on the client
    /// (77.8).
    func personalAnswers() -> [Diagnostic] {
        guard let gateway = declarations.gateway, gateway.forwardedCredentials.isEmpty,
            !gateway.hooks.contains(where: { $0.stage == .before && $0.handler != nil })
        else { return [] }
        var files: [String: PersonalAnswers] = [:]
        return gateway.routes.compactMap { route in
            guard route.method == "GET", route.expirationTime ?? 0 > 0, let file = route.file,
                let line = route.line
            else { return nil }
            let known = files[file] ?? PersonalAnswers((try? ScriptSource.read(file)) ?? [])
            files[file] = known
            guard known.readsClient(routeAt: line) else { return nil }
            return Diagnostic(
                .warning, code: "personal_answer",
                "the answer to GET \(route.path) is not kept, because its function reads request.client",
                file: file, line: line,
                hint: "set request.partition in gateway:before, or leave expiration_time out")
        }
    }
}
