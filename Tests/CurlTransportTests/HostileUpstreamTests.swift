import CurlTransport
import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

/// Servers that misbehave. For each: how often a request with retries asks it, and how the request ends.
@EngineActor
struct HostileUpstreamTests {
    /// A server's behaviour for its requests, which are counted from 1.
    struct Upstream: Sendable, CustomTestStringConvertible {
        let name: String
        /// The number of requests that it must have seen.
        let attempts: Int
        /// The name of a cause, or a status.
        let outcome: String
        let handle: @Sendable (Int, PeerConnection) -> Void

        var testDescription: String { name }
        /// The request ends by its timeouts.
        var stalls: Bool { outcome == "timeout" }

        init(
            _ name: String, _ attempts: Int, _ outcome: String,
            _ handle: @escaping @Sendable (Int, PeerConnection) -> Void
        ) {
            self.name = name
            self.attempts = attempts
            self.outcome = outcome
            self.handle = handle
        }
    }

    nonisolated private static func cut(_ text: String) -> @Sendable (Int, PeerConnection) -> Void {
        { _, line in
            line.send(text)
            line.close()
        }
    }

    nonisolated private static func stalls(_ text: String) -> @Sendable (Int, PeerConnection) -> Void {
        { _, line in
            line.send(text)
            line.stall()
        }
    }

    /// Answers with that status and these headers first, then successfully.
    nonisolated private static func throttle(
        _ status: Int, _ headers: (String, String)...
    ) -> @Sendable (Int, PeerConnection) -> Void {
        { number, line in
            if number == 1 { line.respond(status, headers: headers) } else { line.respond(200, text: "ok") }
        }
    }

    nonisolated private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-A: b\r\n\r\nbody"

    nonisolated private static let upstreams: [Upstream] = [
        Upstream("stalls before the head", 3, "timeout", stalls("")),
        Upstream("stalls in the status line", 3, "timeout", stalls("HTTP/1.1 2")),
        Upstream("stalls in a header", 3, "timeout", stalls("HTTP/1.1 200 OK\r\nX-A:")),
        Upstream(
            "stalls in the body", 3, "timeout", stalls("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")),
        Upstream("resets the line", 3, "connection_failed") { _, line in line.reset() },
        Upstream("closes without a word", 3, "connection_failed", cut("")),
        Upstream("speaks no HTTP", 1, "decoding_failed", cut("SSH-2.0-x\r\n\r\n")),
        Upstream("sends noise", 1, "decoding_failed", cut("\u{1}\u{2}\u{3}garbage\r\nmore garbage\r\n\r\n")),
        Upstream(
            "cuts a chunk", 1, "decoding_failed",
            cut("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nx")),
        Upstream(
            "contradicts its length", 1, "decoding_failed",
            cut("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")),
        Upstream("sends a bomb", 1, "too_large") { _, line in
            line.respond(200, headers: [("Content-Encoding", "gzip")], body: Gzip.zeros(4 << 20))
        },
        Upstream("floods with 1xx", 1, "too_large") { _, line in
            line.send(
                String(
                    repeating: "HTTP/1.1 103 Early\r\nX-A: \(String(repeating: "x", count: 1000))\r\n\r\n",
                    count: 600))
            line.stall()
        },
        Upstream("answers the third time", 3, "200") { number, line in
            if number < 3 { line.respond(503) } else { line.respond(200, text: "ok") }
        },
        Upstream("flaps between errors and cuts", 3, "200") { number, line in
            switch number {
            case 1: line.close()
            case 2: line.respond(500)
            default: line.respond(200, text: "ok")
            }
        },
        Upstream("never recovers", 3, "503") { _, line in line.respond(503) },
        Upstream("refuses", 1, "404") { _, line in line.respond(404) },
        Upstream("throttles without a word", 2, "200", throttle(429)),
        Upstream("throttles for no time", 2, "200", throttle(429, ("Retry-After", "0"))),
        Upstream("throttles for ages", 2, "200", throttle(429, ("Retry-After", "99999999999999999999"))),
        Upstream(
            "throttles until a date that is over", 2, "200",
            throttle(503, ("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"))),
        Upstream(
            "throttles until the year 9999", 2, "200",
            throttle(503, ("Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"))),
        Upstream(
            "throttles with nonsense", 2, "200",
            throttle(503, ("Retry-After", "-30"), ("RateLimit", "\";;=,"))),
        Upstream(
            "throttles by RateLimit", 2, "200",
            throttle(429, ("RateLimit", "\"a\";r=0;t=0"), ("RateLimit-Policy", "\"a\";q=100;w=1"))),
        Upstream(
            "throttles by X-RateLimit", 2, "200",
            throttle(429, ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "0"))),
    ]

    struct Ending {
        let outcome: String
        let attempts: [RequestAttempt]
    }

    private func ask(
        _ peer: LoopbackPeer, _ method: RestEngine.Method = .get, body: RequestBody? = nil,
        stalls: Bool = false
    ) async throws -> Ending {
        let engine = Engine(transport: CurlTransport())
        engine.recordsAddresses = true
        let service = try Service(engine: engine, name: "hostile", baseURL: peer.baseURL)
        service.configure { configuration in
            var retry = RetryPolicy()
            retry.base = .milliseconds(2)
            retry.cap = .milliseconds(10)
            configuration.retry = retry
            configuration.limits = RequestLimits(inFlight: 4)
            configuration.breaker = BreakerPolicy()
            if stalls {
                configuration.timeouts.firstByte = .milliseconds(80)
                configuration.timeouts.idle = .milliseconds(80)
            }
            configuration.maxBodyBytes = 1 << 20
        }
        let request = service.resource("a").request(method, RequestOptions(body: body))
        let end: ResponseInfo? = await waiting(for: "a request's end") { notified in
            request.onCompletion { notified($0) }
        }
        let info = try #require(end)
        service.flushUnusedResources()
        let outcome: String
        switch info.response {
        case .success(let entity): outcome = "\(entity.status ?? 0)"
        case .failure(let error): outcome = error.httpStatusCode.map { "\($0)" } ?? error.code
        }
        #expect(engine.attemptFacts.limits.allSatisfy { $0.inFlight == 0 && $0.waiting == 0 })
        return Ending(outcome: outcome, attempts: request.attempts)
    }

    private func peer(_ upstream: Upstream) -> LoopbackPeer {
        let count = Mutex(0)
        return LoopbackPeer { _, connection in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            upstream.handle(number, connection)
        }
    }

    @Test(arguments: upstreams)
    func `each is asked as often as makes sense, and ends`(upstream: Upstream) async throws {
        let peer = peer(upstream)
        let ending = try await ask(peer, stalls: upstream.stalls)
        #expect(ending.outcome == upstream.outcome)
        // On a busy machine a server may not have read a request that timed out.
        let seen = peer.requests.count
        #expect(upstream.stalls ? seen <= upstream.attempts : seen == upstream.attempts)
        #expect(ending.attempts.count == upstream.attempts)
        #expect(ending.attempts.map(\.number) == Array(1...upstream.attempts))
        #expect(
            ending.attempts.allSatisfy { $0.status == nil || $0.remoteAddress == "127.0.0.1:\(peer.port)" })
        if Self.prints {
            let total = ending.attempts.map { $0.waitedSeconds + $0.timings.totalSeconds }.reduce(0, +)
            print(
                "| \(upstream.name) | \(ending.attempts.count) | \(Int(total * 1000)) ms | \(ending.outcome) |"
            )
        }
    }

    /// Prints the table for a report.
    private nonisolated static let prints = getenv("RESTHOST_TABLE") != nil

    @Test func `cut at every byte it is asked again, and never believed`() async throws {
        let text = Self.whole
        for length in 0..<text.utf8.count {
            let peer = LoopbackPeer { _, line in
                line.send(Array(text.utf8.prefix(length)))
                line.close()
            }
            let ending = try await ask(peer)
            // A response that doesn't begin like HTTP is not HTTP.
            let attempts = ending.outcome == "decoding_failed" ? 1 : 3
            #expect(
                peer.requests.count == attempts && ending.outcome != "200", "\(length): \(ending.outcome)")
        }
    }

    @Test(arguments: upstreams.filter { $0.attempts > 1 })
    func `what may not be sent twice is sent once, whatever happens`(upstream: Upstream) async throws {
        let peer = peer(upstream)
        let ending = try await ask(
            peer, .post, body: .text("pay", charset: "utf-8"), stalls: upstream.stalls)
        #expect(peer.requests.count <= 1 && ending.attempts.count == 1)
    }

    @Test func `41.4: a request that may not be repeated is not sent again on another connection`()
        async throws
    {
        let count = Mutex(0)
        let peer = LoopbackPeer { request, line in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            // The first request leaves its connection open for the second, which is cut.
            if number == 1 || request.method == "GET" { line.respond(200, text: "ok") } else { line.close() }
        }
        let transport = CurlTransport()
        _ = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
        let post = TransportRequest(method: "POST", url: peer.baseURL, body: Array("pay".utf8))
        let error = try #require(await transport.answer(to: post).error)
        #expect(
            error.code == .connectionFailed && error.message.contains("may not be sent twice"), "\(error)")
        #expect(peer.requests.map(\.method) == ["GET", "POST"])
    }
}
