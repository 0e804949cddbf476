import LuaRuntime
import RestEngine

/// `rest.auth`.
struct AuthBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(tables: [authModule]) }

    private var authModule: ModuleTable {
        ModuleTable(
            name: "rest.auth",
            functions: [
                ModuleFunction(
                    "basic", "(user: string, password: string) -> function(resource, request) -> request",
                    "A decorator that sends user and password with each request (RFC 7617), to the resource's own origin only."
                ) { call in
                    let (user, password) = try credentials(call)
                    let authentication = try checked(call) { () throws(CredentialFault) in
                        try BasicAuthentication(user: user, password: password)
                    }
                    return push(
                        authentication.decorator, named: "rest.auth.basic", authentication.header,
                        keeping: authentication.header.utf8.count, call)
                },
                ModuleFunction(
                    "digest", "(user: string, password: string) -> function(resource, request) -> request",
                    """
                    A decorator that answers the server's Digest challenges (RFC 7616: MD5, SHA-256 and SHA-512-256), for \
                    the resource's own origin only. When the server refuses the answer, the request fails.
                    """
                ) { call in
                    let (user, password) = try credentials(call)
                    let authentication = try checked(call) { () throws(CredentialFault) in
                        if let gates = context.blocks.current?.gates {
                            return try gates.digest(user, password, context.declarations)
                        }
                        return try DigestAuthentication(user: user, password: password)
                    }
                    return push(
                        authentication.decorator, named: "rest.auth.digest", nil,
                        keeping: 1024 + user.utf8.count + password.utf8.count, call)
                },
            ])
    }

    private func credentials(_ call: Arguments) throws -> (String, String) {
        (try call.text(1, "user", .credential), try call.text(2, "password", .credential))
    }

    private func checked<Result>(
        _ call: Arguments, _ make: () throws(CredentialFault) -> Result
    ) throws -> Result {
        do throws(CredentialFault) { return try make() } catch { throw call.bad(1, "user", error.message) }
    }

    private func push(
        _ decorator: @escaping RequestDecorator, named name: String, _ header: String?, keeping bytes: Int,
        _ call: Arguments
    ) -> CallResult {
        call.lua.push(
            function: hostFunction { call in
                let resource = try call.object(1, "resource", as: Resource.self, expected: "resource")
                let request = try call.object(2, "request", as: Request.self, expected: "request")
                values.push(try decorator(resource, request), on: call.lua)
                return .one
            }, name: "\(name)(…)", keeping: bytes)
        context.blocks.noteAuthentication(name, header: header, by: call.lua.identity(-1))
        return .one
    }
}
