import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// `rest.secret` and secret variables. These texts don't occur in other tests.
@Suite(.leakChecked) @EngineActor
struct SecretTests {
    @Test func `47.2 a secret is the text itself, and shows nowhere`() throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """
            local key = rest.secret "sst-secret-1"
            print(#key, key == "sst-secret-" .. 1, key)
            io.write("[", key, "]\\n")
            rest.log.info("with " .. key, { field = key })
            print(rest.hex.encode(rest.crypto.sha256(key)) == rest.hex.encode(rest.crypto.sha256("sst-secret-1")))
            api:resource("missing"):with_param("q", key):load():on_failure(function(err) print(tostring(err)) end)
            rest.spawn(function() error("job " .. key) end)
            rest.spawn(function() error(rest.error { user_message = "no " .. key }) end)
            """)
        let text = fixture.log.map { entry in
            "\(entry.text) \(entry.fields) \(entry.printed?.text ?? "")"
        }.joined(separator: "\n")
        #expect(!text.contains("sst-secret-1"), "\(text)")
        #expect(fixture.lines.contains("12\ttrue\t***") && fixture.lines.contains("[***]"))
        #expect(fixture.lines.contains { $0.contains("q=***") })
        let request = try #require(fixture.transport.requests.first)
        #expect(request.url.hasSuffix("q=sst-secret-1"))
        fixture.close()
    }

    @Test func `47.4 granted variables with a secret's name are secret`() throws {
        let fixture = ScriptFixture()
        fixture.options.grantedEnvironment = ["SST_TOKEN", "SST_NAME"]
        fixture.options.environment = ["SST_TOKEN": "sst-variable-1", "SST_NAME": "sst-variable-2"]
        try fixture.load("print(rest.env.SST_TOKEN, os.getenv 'SST_TOKEN', rest.env.SST_NAME)")
        #expect(fixture.lines == ["***\t***\tsst-variable-2"])
        fixture.close()
    }

    @Test func `47.3 names of the settings are secret`() throws {
        let fixture = ScriptFixture()
        fixture.options.secretNames = ["x-sst-customer"]
        try fixture.load(
            """
            local definition = api:define("GET", { headers = { ["X-Sst-Customer"] = "4711" } })
            print(definition:curl())
            """)
        #expect(fixture.lines == ["curl 'https://api.test/v1/' -H 'X-Sst-Customer: ***'"])
        fixture.close()
    }

    @Test(arguments: [
        ("rest.secret 'short'", "a secret has 6 bytes to 64 KiB, and this one has 5"),
        ("rest.secret(nil)", "text"), ("rest.secret()", "text"),
    ]) func `a wrong call says what is wrong`(source: String, message: String) throws {
        let fixture = ScriptFixture()
        let diagnostic = try #require(fixture.failure(of: source))
        #expect(diagnostic.message.contains(message) && diagnostic.line == 1, "\(diagnostic)")
        fixture.close()
    }

    @Test func `47.1 a script that can't be loaded says no secret either`() throws {
        let fixture = ScriptFixture()
        let diagnostic = try #require(fixture.failure(of: "error('bad ' .. rest.secret 'sst-load-1')"))
        #expect(diagnostic.message == "bad ***")
        fixture.close()
    }
}
