import RestEngine
import Testing

struct MethodTests {
    @Test(
        arguments: [
            ("GET", "GET"), ("get", "GET"), ("Delete", "DELETE"), ("options", "OPTIONS"), ("trace", "trace"),
            ("QUERY", "QUERY"), ("!#$%&'*+-.^_`|~9z", "!#$%&'*+-.^_`|~9z"), ("", nil), (" GET", nil),
            ("GE T", nil),
            ("GET\n", nil), ("a:b", nil), ("ü", nil), ("ıx", nil),
        ] as [(String, String?)])
    func `6.1 6.2 D25 methods`(text: String, normalized: String?) {
        #expect(Method.normalized(text) == normalized)
    }

    @Test func `D10 the methods of transformers`() {
        #expect(Method.ofTransformers == ["GET", "POST", "PUT", "PATCH", "DELETE"])
    }
}
