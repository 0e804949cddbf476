import CurlTransport
import RestEngine
import TestSupport
import Testing

/// The headers that recordings and explanations show are those that the server got.
@EngineActor
struct SentFieldsTests {
    private let transport: CurlTransport = {
        var options = TransportOptions()
        options.userAgent = "mine/1"
        return CurlTransport(options: options)
    }()
    private let peer = LoopbackPeer { _ in PeerConnection.response() }
    private let folder = TemporaryFolder()

    private func lines(_ headers: Headers) -> [String] {
        headers.fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    }

    private func check(_ request: TransportRequest) async throws {
        _ = try await transport.answer(to: request).get()
        let seen = try #require(peer.requests.last)
        #expect(lines(transport.fields(of: request)) == lines(seen.headers))
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"])
    func `without a body`(method: String) async throws {
        try await check(TransportRequest(method: method, url: peer.baseURL + "/a?b"))
        var headers = Headers([("Cookie", "a=b"), ("User-Agent", "own"), ("X-Two", "1"), ("X-Two", "2")])
        headers.omit("Accept")
        try await check(TransportRequest(method: method, url: peer.baseURL, headers: headers))
    }

    @Test(arguments: [1, 100_000]) func `with a body, or a file`(count: Int) async throws {
        let headers = Headers([("Content-Type", "text/plain"), ("Content-Length", "7")])
        let body = [UInt8](repeating: 0x61, count: count)
        var request = TransportRequest(method: "POST", url: peer.baseURL, headers: headers)
        request.body = body
        try await check(request)
        folder.write("file", bytes: body)
        try await check(
            TransportRequest(
                method: "PUT", url: peer.baseURL, headers: headers,
                upload: .file(path: "\(folder.path)/file")))
    }

    @Test func `user and password of the URL`() async throws {
        let url = peer.baseURL.replacing("://", with: "://me:p%40ss@")
        try await check(TransportRequest(method: "GET", url: url))
    }
}
