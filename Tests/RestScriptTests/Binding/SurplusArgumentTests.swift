import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct SurplusArgumentTests {
    @Test(arguments: [
        (
            "api:resource('/a'):load('POST')",
            "'load' takes no argument, but got 1: request(method, options) takes method"
        ),
        (
            "api:resource('/a'):get{ headers = {} }", "unknown option 'headers'"
        ),
        (
            "rest.service('api', { base_url = 'https://a.test' })",
            "'rest.service' takes one argument, but got 2: write rest.service { name = \"api\", base_url = … }"
        ),
        (
            "api:resource('/a'):load_if_needed({})",
            "'load_if_needed' takes no argument, but got 1: request(method, options) takes method"
        ),
        ("api:resource('/a', {}, 1)", "'resource' takes 2 arguments, but got 3"),
        ("api:resource('/a'):with_param('a', nil, 'b')", "'with_param' takes 2 arguments, but got 3"),
        ("rest.now(1)", "takes no argument, but got 1"), ("rest:now()", "write rest.now(…), with a dot"),
        ("rest.log.info('a', {}, 1)", "takes 2 arguments, but got 3"),
        ("rest.store:get('a', 1)", "'get' takes one argument, but got 2"),
    ]) func `arguments that nothing reads are an error`(call: String, message: String) throws {
        try expect(
            "print((select(2, pcall(function() \(call) end)):find([[\(message)]], 1, true) ~= nil))",
            prints: ["true"])
    }

    @Test func `nils that are too many do no harm`() throws {
        try expect(
            "print(api:resource('/a', nil).url, rest.now(nil) > 0)", prints: ["https://api.test/v1/a\ttrue"])
    }
}
