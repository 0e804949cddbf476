import RestEngine
import TestSupport
import Testing

@testable import CurlTransport

/// libcurl gets a repeated URL as parts, and another URL as text.
@EngineActor
struct ParsedURLTests {
    /// The first request uses the text, the others the parts, on the same handle.
    private static let times = 4

    private let peer = LoopbackPeer { request, connection in connection.respond(text: request.target) }

    @Test(arguments: [
        "", "/", "//", "/a/../b/./c", "/%2e%2E/%2f", "?", "?a=b?c=/../", "/?", "/a;b=c,d", "/a|b\"<>^`{}",
        "/\u{e9}", "/#part", "/a?b#part", "/%00%0d%0a",
    ])
    func `a request is the same however often its URL comes`(target: String) async throws {
        let transport = CurlTransport()
        for place in [peer.baseURL, peer.baseURL.replacing("//", with: "//user:pass%20word@")] {
            let seen = peer.requests.count
            for _ in 0..<Self.times {
                _ = try await transport.answer(to: TransportRequest(url: place + target)).get()
            }
            let heads = Set(peer.requests[seen...].map(\.head))
            #expect(heads.count == 1 && peer.requests.count == seen + Self.times)
            #expect(
                heads.first?.contains("Authorization: Basic dXNlcjpwYXNzIHdvcmQ=") == (place != peer.baseURL))
        }
        #expect(peer.connectionCount == 1)
    }

    @Test func `each of many URLs that come again is asked for, whatever was before it`() async throws {
        let transport = CurlTransport()
        var random = FuzzRounds.random(seed: 31)
        // Some of these share a slot with others.
        for _ in 0..<2000 {
            let target = "/\(random.int(below: 400))"
            let response = try await transport.answer(to: TransportRequest(url: peer.baseURL + target)).get()
            #expect(response.body == Array(target.utf8))
        }
    }

    @Test(arguments: ["http://127.0.0.1:99999/", "http://[::1/", "http://a b/", "http:///"])
    func `a URL that nobody can read is the same error each time`(url: String) async {
        let transport = CurlTransport()
        var messages: Set<String> = []
        for _ in 0..<Self.times {
            let error = await transport.answer(to: TransportRequest(url: url)).error
            messages.insert("\(error?.code, default: "none"): \(error?.message ?? "")")
        }
        #expect(messages.count == 1 && !messages.contains("none: "), "\(messages)")
    }

    @Test func `a proxy gets the whole URL each time`() async throws {
        var options = TransportOptions()
        options.proxy = peer.baseURL
        let transport = CurlTransport(options: options)
        for _ in 0..<Self.times {
            for target in ["/a/../x?y=1", "/other"] {
                _ = try await transport.answer(to: TransportRequest(url: "http://a.test" + target)).get()
                #expect(peer.requests.last?.target == "http://a.test" + target)
            }
        }
    }

    @Test func `parts are made for what comes again, and only for that`() {
        let urls = ParsedURLs()
        let first = "http://a.test/"
        #expect(urls.find(first) == nil)
        let parsed = urls.find(first)
        #expect(parsed != nil && urls.find(first) === parsed)
        // There are more URLs than slots, so each slot has another URL.
        for number in 0..<10_000 { #expect(urls.find("http://a.test/\(number)") == nil) }
        #expect(urls.find(first) == nil)
    }
}
