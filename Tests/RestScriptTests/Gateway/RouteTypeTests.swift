import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct RouteTypeTests {
    @Test(arguments: [
        ("{ a = 1 }", "application/json"), ("'hello'", "text/plain"), ("7", "application/json"),
        ("rest.bytes('\\0\\1')", "application/octet-stream"),
        ("rest.response { body = 'x' }", "application/octet-stream"),
        ("rest.response { json = 'x' }", "application/json"),
    ])
    func `what a route gives goes out as what it is`(_ content: String, _ type: String) throws {
        let fixture = ScriptFixture()
        try fixture.load("rest.gateway {}:route('GET', '/a', function() return \(content) end)")
        let route = try #require(fixture.host?.gateway?.routes.first)
        var result: Result<Entity, RequestError>?
        route.handler.answer(ServedRequest(method: "GET", path: "/a")) { result = $0.entity }
        fixture.settle()
        #expect(try result?.get().contentType == type)
        fixture.close()
    }
}
