import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct EventSourceOptionTests {
    @Test func `the names are kept`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            "rest.gateway { auth = { bearer = 'x', event_source = { cookie = 'sid', parameter = 'my-name' } } }"
        )
        #expect(fixture.host?.gateway?.eventSource == .init(cookie: "sid", parameter: "my-name"))
        // The parameter is secret everywhere.
        #expect(SecretMask.standard.url("/a?my-name=abc&b=1") == "/a?my-name=***&b=1")
        fixture.close()
    }

    @Test(arguments: [
        (
            "event_source = { cookie = 'a' }",
            "option 'auth.event_source' needs 'auth.bearer' or 'auth.tokens' beside it"
        ),
        ("bearer = 'x', event_source = {}", "option 'auth.event_source' names a 'cookie' or a 'parameter'"),
        (
            "bearer = 'x', event_source = { parameter = 'a b' }",
            "option 'auth.event_source.parameter' is a name of at most 64 letters, digits, '-' and '_', such as \"token\""
        ),
    ]) func `wrong names are refused`(auth: String, message: String) {
        #expect(loadError("rest.gateway { auth = { \(auth) } }") == "1: \(message)")
    }
}
