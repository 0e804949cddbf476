import RestEngine
import Testing

struct TransportRequestTests {
    @Test func `a copy is another request`() {
        let request = TransportRequest(url: "http://api.test/x", headers: ["A": "1"])
        var copy = request
        copy.method = "HEAD"
        copy.url += "?a=1"
        copy.headers.set("A", "2")
        copy.timeouts = Timeouts()
        copy.maxBodyBytes = 1
        #expect(request.method == "GET" && copy.method == "HEAD")
        #expect(request.url == "http://api.test/x" && copy.url == "http://api.test/x?a=1")
        #expect(request.headers["A"] == "1" && copy.headers["A"] == "2")
        #expect(request.maxBodyBytes > 1 && copy.maxBodyBytes == 1)
    }

    @Test func `a body and an upload take each other's place, and none takes that of its own kind alone`() {
        var request = TransportRequest(url: "http://api.test/", body: [1, 2])
        #expect(request.body == [1, 2] && request.upload == nil)
        request.upload = nil
        #expect(request.body == [1, 2])
        request.upload = .file(path: "/tmp/x")
        #expect(request.body == nil && request.upload == .file(path: "/tmp/x"))
        request.body = nil
        #expect(request.upload == .file(path: "/tmp/x"))
        request.body = []
        #expect(request.body == [] && request.upload == nil)
        request.body = nil
        #expect(request.body == nil && request.upload == nil)
    }
}
