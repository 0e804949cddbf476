import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

@testable import Gateway

/// Requests and answers of HTTP/2 in the form of HTTP/1.1, and back (rules 63).
@Suite struct TranslationTests {
    @Test func `63.1 A request becomes lines that say the same`() {
        var request = TranslatedRequest()
        var bytes = ByteBuffer()
        let headers = HPACKHeaders([
            (":method", "POST"), (":path", "/a?b"), (":scheme", "https"), (":authority", "h:1"), ("x-y", "z"),
            ("te", "trailers"),
        ])
        #expect(request.begin(headers, isWhole: false, &bytes))
        request.add(ByteBuffer(string: "hello world, hello"), &bytes)
        request.add(ByteBuffer(), &bytes)
        request.end(&bytes)
        request.end(&bytes)
        #expect(
            String(buffer: bytes)
                == "POST /a?b HTTP/1.1\r\nhost: h:1\r\nx-y: z\r\nte: trailers\r\ntransfer-encoding: chunked\r\n"
                + "connection: close\r\n\r\n12\r\nhello world, hello\r\n0\r\n\r\n")
    }

    @Test func `63.1 Pieces of a cookie become one field`() {
        var request = TranslatedRequest()
        var bytes = ByteBuffer()
        let headers = HPACKHeaders([
            (":method", "GET"), (":path", "/"), (":scheme", "https"), ("cookie", "a=1"), ("accept", "x/y"),
            ("cookie", "b=2"), ("accept", "z/y"), ("cookie", "c=3; d=4"),
        ])
        #expect(request.begin(headers, isWhole: true, &bytes))
        #expect(
            String(buffer: bytes)
                == "GET / HTTP/1.1\r\naccept: x/y\r\naccept: z/y\r\ncookie: a=1; b=2; c=3; d=4\r\n"
                + "connection: close\r\n\r\n")
    }

    @Test(arguments: ["GET", "HEAD", "POST"])
    func `63.1 A read that ends behind its head has no body`(_ method: String) {
        let headers = HPACKHeaders([(":method", method), (":path", "/"), (":scheme", "https")])
        func text(_ content: [String]) -> String {
            var request = TranslatedRequest()
            var bytes = ByteBuffer()
            #expect(request.begin(headers, isWhole: false, &bytes))
            for part in content { request.add(ByteBuffer(string: part), &bytes) }
            request.end(&bytes)
            return String(buffer: bytes)
        }
        let start = "\(method) / HTTP/1.1\r\n"
        let chunked = start + "transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        let isRead = method != "POST"
        #expect(text([]) == (isRead ? start + "connection: close\r\n\r\n" : chunked + "0\r\n\r\n"))
        #expect(text([""]) == text([]))
        #expect(text(["", "a", "b"]) == chunked + "1\r\na\r\n1\r\nb\r\n0\r\n\r\n")
    }

    @Test func `63.1 What is to have no body is asked when it has ended, and not otherwise`() {
        let headers = HPACKHeaders([
            (":method", "POST"), (":path", "/"), (":scheme", "https"), ("content-length", "0"),
        ])
        for parts in [[], [""], ["GET /"]] {
            var request = TranslatedRequest()
            var bytes = ByteBuffer()
            #expect(request.begin(headers, isWhole: false, &bytes))
            for part in parts { request.add(ByteBuffer(string: part), &bytes) }
            #expect(!String(buffer: bytes).contains("\r\n\r\n"))
            request.end(&bytes)
            #expect(
                String(buffer: bytes)
                    == "POST / HTTP/1.1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        }
    }

    private static let answers: [(String, Bool, [String])] = [
        (
            "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", false,
            ["200 etag=\"a\" content-length=5", "hello", "end"]
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, ["200 content-length=5", "end"]
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx", false,
            ["100", "201 content-length=1", "x", "end"]
        ),
        ("HTTP/1.1 204 No Content\r\nAllow: GET\r\n\r\n", false, ["204 allow=GET", "end"]),
        ("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", false, ["304 etag=\"a\"", "end"]),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, ["200 content-length=0", "end"]),
        ("HTTP/1.1 200 OK\r\nX: a:b\r\n\r\nevents", false, ["200 x=a:b", "events"]),
    ]

    @Test(arguments: answers.indices)
    func `63.1 An answer becomes frames, however its bytes are split`(_ index: Int) {
        let (text, isForHead, expected) = Self.answers[index]
        for size in [1, 2, 3, 7, 1000] {
            var answer = TranslatedAnswer()
            answer.isForHead = isForHead
            var found: [String] = []
            var content = ""
            var bytes = ByteBuffer(string: text)
            while let part = bytes.readSlice(length: min(size, bytes.readableBytes)), part.readableBytes > 0 {
                for frame in answer.take(part) {
                    switch frame {
                    case .headers(let headers):
                        let fields = headers.headers.dropFirst().map { " \($0.name)=\($0.value)" }
                        found.append((headers.headers.first(name: ":status") ?? "") + fields.joined())
                        #expect(headers.headers.allSatisfy { $0.indexable == .nonIndexable })
                        if headers.endStream { found.append("end") }
                    case .data(let data):
                        if case .byteBuffer(let part) = data.data { content += String(buffer: part) }
                        if data.endStream { found += [content, "end"] }
                    default: Issue.record("\(frame)")
                    }
                }
            }
            if !answer.isComplete { found.append(content) }
            #expect(found == expected)
            #expect(answer.endsWithConnection == !answer.isComplete)
        }
    }
}
