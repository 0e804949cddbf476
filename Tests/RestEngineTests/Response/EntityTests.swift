import RestEngine
import Testing

struct EntityTests {
    private func entity(_ headers: [(String, String)]) -> Entity {
        Entity(
            response: TransportResponse(status: 200, headers: Headers(headers), body: [1]), timestamp: 7)
    }

    @Test(
        arguments: [
            ([], "application/octet-stream", nil), ([("content-TYPE", "text/plain")], "text/plain", nil),
            (
                [("Content-Type", "text/plain; x=y; CharSet=\"UTF-8\"")],
                "text/plain; x=y; CharSet=\"UTF-8\"", "utf-8"
            ),
            ([("Content-Type", "text/plain;charset=")], "text/plain;charset=", nil),
        ] as [([(String, String)], String, String?)])
    func `19.2 19.3 type and charset of a response`(
        headers: [(String, String)], type: String, charset: String?
    ) {
        #expect(entity(headers).contentType == type)
        #expect(entity(headers).charset == charset)
    }

    @Test func `19.4 D13 header values are all kept, lookup ignores case`() {
        let entity = entity([("Link", "<a>"), ("Set-Cookie", "a=1"), ("LINK", "<b>"), ("set-cookie", "b=2")])
        #expect(entity.headers["link"] == "<a>, <b>")
        #expect(entity.headers["SET-COOKIE"] == "a=1")
        #expect(entity.headers.values("Set-Cookie") == ["a=1", "b=2"])
    }

    @Test func `19.5 19.6 ETag and time`() {
        #expect(entity([("etag", "W/\"x\"")]).etag == "W/\"x\"")
        #expect(entity([]).etag == nil)
        #expect(entity([]).timestamp == 7)
    }

    @Test(arguments: [("HTTP/1.1", "1.1"), ("HTTP/2", "2"), ("", nil)] as [(String, String?)])
    func `D37 status, URL and version of a response`(sent: String, version: String?) {
        let response = TransportResponse(status: 203, httpVersion: sent)
        let entity = Entity(response: response, url: "https://a.test/", timestamp: 7)
        #expect(entity.status == 203)
        #expect(entity.url == "https://a.test/")
        #expect(entity.httpVersion == version)
    }

    @Test func `19.7 a local entity`() {
        let local = Entity(
            content: .text("x"), contentType: "text/plain; charset=utf-8",
            headers: Headers([("Content-Type", "old"), ("X", "1")]), timestamp: 5)
        #expect(local.headers.values("content-type") == ["text/plain; charset=utf-8"])
        #expect(local.status == nil && local.url == nil && local.httpVersion == nil)
        #expect(local.charset == "utf-8" && local.headers["x"] == "1")
        #expect(
            Entity(content: .text("x"), contentType: "a/b", charset: "given", timestamp: 5).charset == "given"
        )
    }
}
