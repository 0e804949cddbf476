import Testing

@testable import RestEngine

/// Queries, forms and cookies of clients.
struct ServedRequestTests {
    private func texts(_ pairs: [(name: String, value: String)]?) -> [String]? {
        pairs?.map { "\($0.name): \($0.value)" }
    }

    @Test(arguments: [
        ("a=1&b", ["a: 1", "b: "]), ("&&a=1&", ["a: 1"]), ("=1&=", [": 1", ": "]), ("a=b=c", ["a: b=c"]),
        ("a+b=c+d", ["a+b: c+d"]), ("caf%C3%A9=%26", ["café: &"]), ("a=%ff&%=%2", ["a: %ff", "%: %2"]),
        // Marks that form one character with the separator.
        ("a\u{600}=1\u{600}&b=\u{301}2&\u{301}c=3", ["a\u{600}: 1\u{600}", "b: \u{301}2", "\u{301}c: 3"]),
    ])
    func `pairs of a query`(text: String, pairs: [String]) {
        #expect(texts(ServedRequest.pairs(ofQuery: text)) == pairs)
    }

    @Test func `fields of a form, in which a plus is a blank`() {
        func form(_ text: String, _ type: String) -> [String]? {
            let request = ServedRequest(
                method: "POST", path: "/", headers: Headers([("Content-Type", type)]),
                body: .held(Array(text.utf8)))
            return texts(request.form)
        }
        let type = "application/x-www-form-urlencoded; charset=utf-8"
        #expect(form("a+b=c%2Bd&e=\u{301}f\u{600}+g", type) == ["a b: c+d", "e: \u{301}f\u{600} g"])
        #expect(form("a=1", "text/plain") == nil)
    }

    @Test(arguments: [
        (["a=1; b=2"], ["a: 1", "b: 2"]), (["a=1;b=2", "b=3; c=\t4 "], ["a: 1", "b: 2", "c: 4"]),
        (["a; =1; b==2;"], ["b: =2"]), ([" a = 1 2 "], ["a: 1 2"]), ([], []),
        (["a=1\u{600}; b=\u{301}2;\u{301}c=3"], ["a: 1\u{600}", "b: \u{301}2", "\u{301}c: 3"]),
    ])
    func `cookies, of a repeated name the first`(fields: [String], cookies: [String]) {
        let request = ServedRequest(
            method: "GET", path: "/", headers: Headers(fields.map { ("Cookie", $0) }))
        #expect(texts(request.cookies) == cookies)
    }
}
