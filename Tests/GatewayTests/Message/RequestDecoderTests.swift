import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import Gateway

/// Compares this gateway's reading of heads with swift-nio's decoder, llhttp. A head that is accepted here
/// must be accepted there and mean the same, because proxies before the gateway, and servers behind other
/// gateways, read as llhttp does.
@Suite struct RequestDecoderTests {
    private static let methods = [
        "GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "TRACE", "get", "GE", "PRI",
        "CONNECT", "M-SEARCH",
    ]
    private static let targets = [
        "/", "/a/b?c=d", "/a%20b", "//x", "*", "http://h/x", "HTTP://h:80?q", "http://u@h/", "http://h",
        "/a#b", "?q", "a/b",
        "/é", "/\\", "/\"<>^`{|}", "http://[::1]:80/", "http://", "https://h/",
    ]
    private static let versions = [
        "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "http/1.1", "HTTP/1.1 ",
        "HTTP/01.1", "",
    ]
    private static let names = [
        "Host", "Content-Length", "Transfer-Encoding", "Connection", "Expect", "If-None-Match",
        "Authorization", "Upgrade",
        "Accept", "X_y.z~", "content-length", "Host ", " Host", "Ho st", "", "X\u{e9}",
    ]
    private static let values = [
        "h", "h:80", "0", "5", "05", "+5", "5, 5", "0x5", "5 5", "18446744073709551621", "chunked", "Chunked",
        "gzip, chunked",
        "chunked, gzip", "identity", "chunked,", ",chunked", "close", "keep-alive", "Close, x",
        "keep-alive, upgrade", "upgrade",
        "100-continue", "\"a\", W/\"b\"", "Bearer x", "websocket", "", " ", "\t a \t", "é", "a\u{0}b",
        "a\u{7f}", "close ;x",
    ]
    private static let breaks = [
        "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\r\n", "\r\n ", " \r\n", "\n\r\n",
    ]

    @Test func `What is accepted means the same to swift-nio`() throws {
        var random = FuzzRounds.random(seed: 23)
        let rounds = FuzzRounds.count(20_000)
        let oracle = DecoderOracle()
        var accepted = 0
        for _ in 0..<rounds {
            let bytes = Self.request(&random)
            guard let head = Self.head(of: bytes) else { continue }
            accepted += 1
            let ours = RequestMeaning(head, bytes)
            let theirs = oracle.read(Array(bytes[..<head.length]))
            switch theirs {
            case .success(var theirs):
                // Closing is always right. If both 'keep-alive' and 'close' are there, llhttp takes the first
                // one (RFC 9112 9.3).
                if !ours.isPersistent { theirs.isPersistent = false }
                #expect(ours == theirs, "\(Self.text(bytes))")
            case .failure(let refusal):
                #expect(Self.isKnown(refusal, ours), "\(refusal): \(Self.text(bytes))")
            }
        }
        // If too few heads are accepted, the random test tests nothing.
        #expect(accepted > rounds / 20)
    }

    /// llhttp has lists of methods and versions. Here any token is a method that isn't served, and RFC 9110
    /// 2.5 requires answers to higher minor versions.
    private static func isKnown(_ refusal: DecoderOracle.Refusal, _ ours: RequestMeaning) -> Bool {
        switch refusal {
        case .method: !DecoderOracle.methods.contains(ours.method)
        case .version: true
        case .other: false
        }
    }

    private static func head(of bytes: [UInt8]) -> RequestHead? {
        var parser = RequestParser(limits: GatewayLimits())
        guard case .head(let head) = bytes.withUnsafeBytes({ parser.next($0) }) else { return nil }
        return head
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).debugDescription
    }

    private static func request(_ random: inout SeededRandom) -> [UInt8] {
        // Most pieces are valid, so that most heads are read.
        func piece(_ pieces: [String], _ random: inout SeededRandom, sound: Int) -> String {
            pieces[random.int(below: random.int(below: 8) > 0 ? sound : pieces.count)]
        }
        var text = random.int(below: 10) == 0 ? "\r\n" : ""
        text += piece(methods, &random, sound: 9) + " " + piece(targets, &random, sound: 8) + " "
        text += piece(versions, &random, sound: 4) + piece(breaks, &random, sound: 6)
        if random.int(below: 8) > 0 { text += "Host: h" + piece(breaks, &random, sound: 6) }
        for _ in 0..<random.int(below: 4) {
            let value = values[random.int(below: values.count)]
            text += piece(names, &random, sound: 10) + ":" + (random.int(below: 2) == 0 ? " " : "") + value
            text += piece(breaks, &random, sound: 6)
        }
        var bytes = Array((text + "\r\n").utf8)
        while random.int(below: 3) == 0 {
            let index = random.int(below: bytes.count)
            switch random.int(below: 3) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.insert([9, 10, 13, 32, 58, 0][random.int(below: 6)], at: index)
            default: bytes.remove(at: index)
            }
        }
        return bytes
    }
}

/// The meaning of a head, as far as this gateway acts on it.
private struct RequestMeaning: Equatable {
    var method: String
    /// The target in the request line.
    var target: String
    var minorVersion: Int
    var hosts: Int
    var host: String?
    var authorization: [String]
    var ifNoneMatch: String?
    var contentLength: Int?
    var isChunked: Bool
    var expectsContinue: Bool
    /// Bytes follow that belong to the request.
    var hasBody: Bool
    var isPersistent: Bool
}

extension RequestMeaning {
    init(_ head: RequestHead, _ bytes: [UInt8]) {
        func text(_ range: ByteRange) -> String {
            String(decoding: bytes[range.start..<(range.start + range.count)], as: UTF8.self)
        }
        method = text(head.methodRange)
        // The authority of an absolute target precedes the rest.
        let host = head.host.map(text)
        target = text(head.target)
        if head.isHostFromTarget, let range = head.host {
            target = text(ByteRange(start: range.start - 7, count: range.count + 7)) + target
        }
        minorVersion = head.minorVersion
        hosts = head.hostCount
        self.host = host
        authorization = head.authorization.map { [text($0)] } ?? []
        ifNoneMatch = head.ifNoneMatch.map(text)
        contentLength = head.contentLength
        isChunked = head.isChunked
        expectsContinue = head.expectsContinue
        hasBody = head.hasBody
        isPersistent = head.isPersistent
    }

    init(_ head: HTTPRequestHead, isComplete: Bool) {
        // swift-nio has a different name for this method.
        method = head.method == .MSEARCH ? "M-SEARCH" : head.method.rawValue
        target = head.uri
        minorVersion = head.version.minor
        // Blanks behind a value don't belong to it (RFC 9112 5.1). llhttp leaves them to its caller.
        let fields = HTTPHeaders(
            head.headers.map { ($0, String($1.reversed().drop { $0 == " " || $0 == "\t" }.reversed())) })
        hosts = fields["Host"].count
        host = fields["Host"].last
        if head.uri.lowercased().hasPrefix("http://") {
            host = String(head.uri.dropFirst(7).prefix { $0 != "/" && $0 != "?" })
        }
        authorization = fields["Authorization"]
        ifNoneMatch = fields["If-None-Match"].last
        contentLength = fields["Content-Length"].first.flatMap { Int($0) }
        isChunked = fields["Transfer-Encoding"].contains { $0.lowercased() == "chunked" }
        expectsContinue = fields["Expect"].contains { $0.lowercased() == "100-continue" }
        hasBody = !isComplete
        isPersistent = head.isKeepAlive
    }
}

/// swift-nio's reading of one head. The channel is kept until an error ends it.
private final class DecoderOracle {
    enum Refusal: Error {
        case method, version
        case other(String)
    }

    static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "TRACE", "M-SEARCH", "CONNECT", "PRI",
    ]
    private var channel: EmbeddedChannel?

    deinit { _ = try? channel?.finish(acceptAlreadyClosed: true) }

    func read(_ bytes: [UInt8]) -> Result<RequestMeaning, Refusal> {
        let channel =
            channel
            ?? EmbeddedChannel(
                handler: ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
        self.channel = nil
        // A channel and its pipeline hold each other until the channel ends.
        defer { if self.channel == nil { _ = try? channel.finish(acceptAlreadyClosed: true) } }
        do {
            try channel.writeInbound(ByteBuffer(bytes: bytes))
            guard case .head(let head)? = try channel.readInbound(as: HTTPServerRequestPart.self) else {
                return .failure(.other("no head"))
            }
            var isComplete = false
            while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
                if case .end = part { isComplete = true }
            }
            let meaning = RequestMeaning(head, isComplete: isComplete)
            if isComplete, head.isKeepAlive, head.headers["Upgrade"].isEmpty, head.method != .CONNECT {
                self.channel = channel
            }
            return .success(meaning)
        } catch HTTPParserError.invalidMethod {
            return .failure(.method)
        } catch HTTPParserError.invalidVersion {
            return .failure(.version)
        } catch {
            return .failure(.other("\(error)"))
        }
    }
}
