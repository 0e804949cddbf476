import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// Runs a test in Lua against a script with a gateway.
@EngineActor
enum GatewayScript {
    private static func script(forward: String, options: String) -> String {
        """
        local rest = require "resthost"
        local api = rest.service { name = "api", base_url = "https://api.test" }
        api:configure("**", function(c) c.expiration_time = 60 end)
        gateway = rest.gateway {
          forward = { \(forward) },
          expose = { api = { paths = { "**" }, methods = { "GET", "HEAD", "POST" } } },
          auth = { tokens = { { name = "ada", token = "token-of-ada" }, { name = "bob", token = "token-of-bob" } } },
          \(options)
        }

        """
    }

    /// Runs a test with a script whose gateway is the global `gateway`.
    ///
    /// - Parameter options: Further options of the gateway.
    static func run(
        _ script: String, forward: String = "headers = { 'Accept-Language' }", options: String = "",
        _ test: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let folder = TemporaryFolder()
        folder.write("main.lua", Self.script(forward: forward, options: options) + script)
        var options = ScriptOptions()
        options.makeLocalServer = ScriptServer.make
        let file = ScriptTestFile(path: folder.path + "/a_test.lua", options: options)
        folder.write(
            "a_test.lua",
            """
            local t = require "resthost.test"
            t.test("it", function()
              local host = t.load "main.lua"
              local function ask(method, path, options)
                options = options or {}
                options.client = options.client or "ada"
                return host:request(method, path, options)
              end
              \(test)
            end)
            """)
        try file.load()
        let result = await file.run(try #require(file.tests.first))
        let output = file.takeOutput().map(\.text) + result.output.map(\.text)
        let isClean = file.close()
        #expect(isClean, sourceLocation: sourceLocation)
        if case .failed(let diagnostic) = result.outcome {
            Issue.record("\(diagnostic)", sourceLocation: sourceLocation)
        }
        return output
    }
}
