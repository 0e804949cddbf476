import CurlTransport
import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

/// The load on an upstream when thousands of requests fail (rules 41.6, 43).
@EngineActor
struct RetryLoadTests {
    /// Counts requests.
    private final class Count: Sendable {
        let messages = Atomic<Int>(0)
        let failing = Atomic<Bool>(true)
        func add() -> Int { messages.add(1, ordering: .relaxed).newValue }
        var value: Int { messages.load(ordering: .relaxed) }
    }

    private struct Outcome {
        var succeeded = 0
        var failed = 0
        var attempts = 0
        var codes: [String: Int] = [:]
        var seconds = 0.0
    }

    /// Sends this number of requests, 32 at a time.
    private func run(_ service: Service, _ total: Int) async -> Outcome {
        var outcome = Outcome()
        var begun = 0
        // Each hundred has its own gate, because all of them may take longer than a test may wait.
        let parts = (0..<total / 100).map { _ in Gate() }
        var ended: Int { outcome.succeeded + outcome.failed }
        let start = ContinuousClock.now
        func next() {
            guard begun < total else { return }
            begun += 1
            let request = service.resource("r\(begun % 100)").request("GET")
            request.onCompletion { [unowned request] info in
                outcome.attempts += request.attempts.count
                switch info.response {
                case .success: outcome.succeeded += 1
                case .failure(let error):
                    outcome.failed += 1
                    outcome.codes[error.code, default: 0] += 1
                }
                if ended % 100 == 0 { parts[ended / 100 - 1].open() }
                next()
            }
        }
        for _ in 0..<32 { next() }
        for (index, part) in parts.enumerated() where ended >= index * 100 {
            await part.opened("the next hundred of \(total) requests")
        }
        outcome.seconds = Double((ContinuousClock.now - start).components.seconds) + 1
        return outcome
    }

    private func service(_ peer: LoopbackPeer, _ edit: @escaping @EngineActor (inout Configuration) -> Void)
        throws
        -> Service
    {
        let service = Service(
            engine: Engine(transport: CurlTransport()), name: "api", baseURL: try BaseURL(peer.baseURL))
        service.configure { edit(&$0) }
        return service
    }

    private static func report(_ text: String) {
        guard getenv("RESTHOST_TABLE") != nil else { return }
        let line = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    private static func retry(_ configuration: inout Configuration) {
        configuration.retry = RetryPolicy()
        configuration.retry?.base = .milliseconds(1)
        configuration.retry?.cap = .milliseconds(4)
    }

    @Test(.wholeRunOnly) func `41.6 10,000 requests, of which 30 % fail, stay in the budget`() async throws {
        let count = Count()
        let peer = LoopbackPeer { _ in
            // The numbers are the same each time, without a pattern that retries could follow.
            let number = UInt64(count.add()) &* 0x9E37_79B9_7F4A_7C15
            return PeerConnection.response((number >> 33) % 10 < 3 ? 503 : 200)
        }
        let outcome = await run(try service(peer) { Self.retry(&$0) }, 10_000)
        let retries = count.value - 10_000
        Self.report(
            "30 %: \(count.value) messages, \(outcome.succeeded) succeeded, \(outcome.failed) failed, \(outcome.seconds) s"
        )
        #expect(outcome.attempts == count.value, "what the engine says is what the upstream counted")
        #expect(Double(retries) <= 2000 + 3 * (outcome.seconds + 1))
        #expect(retries >= 1800, "and the budget was used")
        #expect(outcome.codes == ["http_5xx": outcome.failed] && outcome.failed < 2000)
    }

    @Test(.wholeRunOnly) func `41.6 a dead upstream gets no more than the budget`() async throws {
        let count = Count()
        let peer = LoopbackPeer { _, connection in
            _ = count.add()
            connection.close()
        }
        let outcome = await run(try service(peer) { Self.retry(&$0) }, 2_000)
        Self.report("dead: \(count.value) messages of 2000 requests, \(outcome.seconds) s")
        #expect(outcome.failed == 2_000 && outcome.attempts == count.value)
        #expect(Double(count.value) <= 2_400 + 3 * (outcome.seconds + 1))
    }

    @Test(.wholeRunOnly) func `43.1 while a breaker is open nothing comes, and its probe is one request`()
        async throws
    {
        let count = Count()
        let answer = Gate()
        let peer = LoopbackPeer { _, connection in
            _ = count.add()
            if count.failing.load(ordering: .relaxed) { return connection.respond(500) }
            answer.wait()
            connection.respond()
        }
        let service = try service(peer) {
            $0.breaker = BreakerPolicy()
            $0.breaker?.open = .milliseconds(300)
        }
        let first = await run(service, 2_000)
        let seen = count.value
        Self.report("breaker: \(seen) messages of 2000 requests, \(first.codes)")
        // 20 failures open it, plus those in flight by then; then one probe for each time that it was open.
        #expect(Double(seen) <= 20 + 32 + first.seconds / 0.3 + 1)
        count.failing.store(false, ordering: .relaxed)
        var others = 0
        var probe: Request?
        await yielding(until: "a probe comes") {
            let requests = (0..<50).map { service.resource("p\($0)").request("GET") }
            // Requests that may not go have failed in the next pass of the loop.
            await Task.yield()
            let open = requests.filter { $0.state != .completed }
            #expect(open.count <= 1)
            others += requests.count - open.count
            if let sent = open.first {
                probe = sent
                await yielding(until: "an answer") { count.value != seen }
            }
            return count.value != seen
        }
        let more = (0..<50).map { service.resource("q\($0)").request("GET") }
        await Task.yield()
        #expect(more.allSatisfy { $0.state == .completed } && others > 0)
        #expect(count.value == seen + 1, "one probe")
        answer.open()
        let closed = Gate()
        probe?.onCompletion { _ in closed.open() }
        await closed.opened()
        let last = await run(service, 100)
        #expect(last.succeeded == 100 && count.value == seen + 101)
    }
}
