import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

@testable import Gateway

/// HTTP/2 requests and answers in the form of HTTP/1.1, and back (rules 63).
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

    @Test func `63.1 A request without a body is sent when its stream has ended`() {
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

    private static func head(
        _ status: Int, length: Int? = nil, etag: String? = nil, _ fields: [(String, String)] = []
    ) -> ResponseHead {
        ResponseHead(status: status, content: ContentFields(length: length, etag: etag), proxied: fields)
    }

    private static let answers: [(heads: [ResponseHead], content: String, isForHead: Bool, [String])] = [
        ([head(200, length: 5, etag: "x")], "hello", false, ["200 content-length=5 etag=x", "hello", "end"]),
        ([head(200, length: 5)], "hello", true, ["200 content-length=5", "end"]),
        ([head(100), head(201, length: 1)], "x", false, ["100", "201 content-length=1", "x", "end"]),
        ([head(200, length: 1)], "xyz", false, ["200 content-length=1", "x", "end"]),
        ([head(204, [("Allow", "GET")])], "", false, ["204 allow=GET", "end"]),
        ([head(304, etag: "x")], "", false, ["304 etag=x", "end"]),
        ([head(200, length: 0)], "", false, ["200 content-length=0", "end"]),
        ([head(200, [("X", "a:b")])], "events", false, ["200 x=a:b", "events"]),
    ]

    @Test(arguments: answers.indices)
    func `63.1 An answer becomes frames, however its content is split`(_ index: Int) {
        let (heads, text, isForHead, expected) = Self.answers[index]
        for size in [1, 2, 3, 7, 1000] {
            var answer = TranslatedAnswer(indexing: .nonIndexable)
            answer.isForHead = isForHead
            var frames = heads.map { answer.begin($0) }
            var bytes = ByteBuffer(string: text)
            while let part = bytes.readSlice(length: min(size, bytes.readableBytes)), part.readableBytes > 0 {
                if let frame = answer.take(part) { frames.append(frame) }
            }
            var found: [String] = []
            var content = ""
            for frame in frames {
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
            if !answer.isComplete { found.append(content) }
            #expect(found == expected)
            #expect(answer.endsWithConnection == !answer.isComplete)
        }
    }

    @Test func `63.1 Content of unknown length ends with nothing, and other content does not`() {
        var answer = TranslatedAnswer(indexing: .nonIndexable)
        #expect(answer.take(ByteBuffer(string: "too early")) == nil)
        _ = answer.begin(Self.head(200, length: 2))
        #expect(answer.take(ByteBuffer()) == nil && !answer.isComplete)
        answer = TranslatedAnswer(indexing: .nonIndexable)
        _ = answer.begin(Self.head(200))
        guard case .data(let last)? = answer.take(ByteBuffer()) else {
            Issue.record("no end")
            return
        }
        #expect(last.endStream && answer.isComplete)
        #expect(answer.take(ByteBuffer(string: "too late")) == nil)
    }
}
