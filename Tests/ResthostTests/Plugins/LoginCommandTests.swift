import Platform
import RestEngine
import TestSupport
import Testing

@testable import resthost

struct LoginCommandTests {
    private let folder = TemporaryFolder()

    /// A server of tokens, which is the API too. It gives a token for the code "the-code" alone.
    private let server = LoopbackPeer { request, connection in
        let json = [("Content-Type", "application/json")]
        switch request.path {
        case "/token":
            let isRight = request.text.contains("code=the-code") && request.text.contains("code_verifier=")
            let token =
                #"{"access_token":"token-of-ada","token_type":"Bearer","expires_in":3600,"refresh_token":"later-token"}"#
            let refusal = #"{"error":"invalid_grant","error_description":"a wrong code"}"#
            connection.send(
                PeerConnection.response(
                    isRight ? 200 : 400, headers: json, body: Array((isRight ? token : refusal).utf8)))
        default:
            let isKnown = request.headers["Authorization"] == "Bearer token-of-ada"
            connection.send(PeerConnection.response(isKnown ? 200 : 403, body: Array("hello Ada".utf8)))
        }
    }

    private func writeScript(_ options: String = "") {
        let origin = "http://127.0.0.1:\(server.port)"
        folder.write(
            "main.lua",
            """
            local rest = require "resthost"
            local api = rest.service { name = "api", base_url = "\(origin)/v1", standard_transformers = {} }
            api:use("oauth2", {
              token_url = "\(origin)/token", authorization_url = "\(origin)/authorize", client_id = "me",
              login = "code", file = "tokens.json", \(options)
            })
            rest.spawn(function() error "jobs don't start" end)
            """)
    }

    private func login(_ arguments: String...) -> ChildProcess {
        ChildProcess([BuiltProgram.path, "login", "main.lua"] + arguments, in: folder.path)
    }

    /// The value of a parameter in the address that was shown.
    private func parameter(_ name: String, in text: String) throws -> String {
        let start = try #require(text.ranges(of: "\(name)=").first?.upperBound)
        let value = text[start...].prefix { $0 != "&" && !$0.isWhitespace }
        return try #require(PercentEncoding.decode(String(value)))
    }

    @Test func `a login listens for the browser, and keeps a token that requests then carry`() async throws {
        writeScript()
        let run = login()
        #expect(await run.hasReported("code_challenge_method=S256"))
        let shown = run.errors
        let redirect = try parameter("redirect_uri", in: shown)
        let port = try #require(
            redirect.split(separator: ":").last?.split(separator: "/").first.flatMap { Int($0) })
        // A browser also asks for an icon.
        let icon = try LoopbackClient(port: port).exchange("GET /favicon.ico HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(icon.hasPrefix("HTTP/1.1 404"))
        let state = try parameter("state", in: shown)
        let page = try LoopbackClient(port: port)
            .exchange("GET /callback?code=the-code&state=\(state) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(page.contains("You may close this page"))
        let outcome = await run.end()
        #expect(outcome.code == 0 && outcome.errors.hasSuffix("logged in for api\n"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("jobs don't start") && !outcome.errors.contains("token-of-ada"))
        var status = stat()
        #expect(stat(folder.path + "/tokens.json", &status) == 0 && status.st_mode & 0o777 == 0o600)
        folder.write(
            "main.lua",
            try TextFile.read(folder.path + "/main.lua").replacing("error \"jobs don't start\"", with: ""))
        let get = await BuiltProgram.run("get", "main.lua", "/me", in: folder.path)
        #expect(get.code == 0 && get.output.hasPrefix("hello Ada"), "\(get.errors)")
    }

    @Test func `without a listener it asks for the address, and a refusal is its error`() async {
        writeScript()
        for (code, end) in [("the-code", "logged in for api\n"), ("another", "a wrong code")] {
            let run = await ChildProcess(
                ["/bin/sh", "-c", "echo \(code) | '\(BuiltProgram.path)' login main.lua api --paste"],
                in: folder.path
            ).end()
            #expect(run.code == (code == "the-code" ? 0 : 1) && run.errors.contains(end), "\(run.errors)")
        }
        let ended = await ChildProcess(
            ["/bin/sh", "-c", "'\(BuiltProgram.path)' login main.lua --paste </dev/null"], in: folder.path
        ).end()
        #expect(ended.code == 1 && ended.errors.contains("the login was cancelled"), "\(ended.errors)")
    }

    @Test func `a script without a login, and a wrong name, are errors`() async {
        writeScript()
        let wrong = await login("apj").end()
        #expect(wrong.code == 2 && wrong.errors.contains("has no login for 'apj': did you mean 'api'?"))
        folder.write("main.lua", "")
        let none = await login().end()
        #expect(none.code == 2 && none.errors.contains("has no service that needs a login"))
    }

    /// A URL of the script, and what the server gets: the port 0 is the system's choice.
    @Test(arguments: [
        ("http://localhost:0/back", "http://localhost:"), ("http://127.0.0.1:0", "http://127.0.0.1:"),
    ])
    func `the redirect has the host and the path that the server knows`(given: String, start: String) throws {
        let redirect = try #require(LoopbackRedirect(url: given))
        defer { redirect.close() }
        #expect(
            redirect.url.hasPrefix(start) && redirect.url.hasSuffix("/back") == given.hasSuffix("/back"))
    }

    @Test(arguments: [
        "https://localhost:1/", "http://example.com:1/", "http://localhost/", "http://localhost:x/",
    ])
    func `other URLs are not listened for`(url: String) { #expect(LoopbackRedirect(url: url) == nil) }
}
