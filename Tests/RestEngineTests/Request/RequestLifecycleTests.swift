import TestSupport
import Testing

@testable import RestEngine

/// The actions of a request at each event, without performing them.
@EngineActor
struct RequestLifecycleTests {
    private typealias Outcome = RequestLifecycle.Outcome

    private static let refused = TransportError(.connectionFailed, phase: .connect, message: "refused")
    private static let stale = TransportError(
        .connectionFailed, phase: .firstByte, message: "broke", isStaleConnection: true)

    private func hop(_ method: String = "GET", body: [UInt8]? = nil, asks: Bool = false) -> RequestHop {
        var configuration = Configuration()
        if asks { configuration.redirects.on = ConfiguredFunction({ _, _, _ in true }, origin: "test") }
        return RequestHop(
            step: Redirect.RequestStep(RequestDraft(method: method, url: "https://a.test/x", body: body)),
            resolved: ResolvedConfiguration(configuration), began: 0, number: 1)
    }

    private func answer(_ status: Int, _ fields: [(String, String)] = []) -> TransportResult {
        .success(TransportResponse(status: status, headers: Headers(fields)))
    }

    /// A lifecycle whose first message is in flight.
    private func sending(_ hop: RequestHop) -> RequestLifecycle {
        var lifecycle = RequestLifecycle()
        #expect(name(lifecycle.started(hop)) == "admit 1 GET" || hop.step.method != "GET")
        _ = lifecycle.admitted(after: nil)
        return lifecycle
    }

    private func name(_ action: RequestLifecycle.Action) -> String {
        switch action {
        case .admit(let hop): "admit \(hop.number) \(hop.step.method)"
        case .send(let hop): "send \(hop.number)"
        case .decideRedirect(_, _, let step): "redirect? \(step.url)"
        case .decideRetry(_, _, let obstacle): "retry? \(obstacle ?? "yes")"
        case .wait(let hop, let seconds): "wait \(seconds) for \(hop.number)"
        case .receive(let response, _): "receive \(response.status)"
        case .fail(.cause(let cause), _): "fail \(cause.code)"
        case .fail(.thrown, _): "fail by a function"
        case .fail(.misled(let why, let status), _): "fail \(status): \(why)"
        case .ignore: "ignore"
        }
    }

    @Test(
        arguments: [
            (200, "", "receive 200"), (304, "", "receive 304"), (404, "", "receive 404"),
            (302, "/y", "admit 1 GET"), (302, "", "fail 302: the server redirects without a Location"),
            (302, "http://a.test/y", "fail tls_failed"),
        ] as [(Int, String, String)])
    func `5.18 an answer stands, or leads somewhere`(status: Int, location: String, then: String) {
        var lifecycle = sending(hop())
        let fields = location.isEmpty ? [] : [("Location", location)]
        let action = name(lifecycle.ended(Outcome(result: answer(status, fields))))
        #expect(action.hasPrefix(then), "\(action)")
    }

    @Test func `41.10 a stale connection is tried again once, where the message may be sent twice`() {
        var lifecycle = sending(hop())
        #expect(name(lifecycle.ended(Outcome(result: .failure(Self.stale)))) == "admit 2 GET")
        #expect(name(lifecycle.admitted(after: nil)) == "send 2")
        #expect(name(lifecycle.ended(Outcome(result: .failure(Self.stale)))) == "fail connection_failed")
        var post = sending(hop("POST", body: [1]))
        #expect(name(post.ended(Outcome(result: .failure(Self.stale)))) == "fail connection_failed")
        var put = sending(hop("PUT", body: [1]))
        let spent = Outcome(result: .failure(Self.stale), bodyObstacle: "it is gone")
        #expect(name(put.ended(spent)) == "fail connection_failed")
    }

    @Test func `41.1 a policy decides, and the message rests before it is sent again`() {
        var lifecycle = sending(hop())
        #expect(name(lifecycle.ended(Outcome(result: answer(503), isRetried: true))) == "retry? yes")
        #expect(name(lifecycle.decided(onRetry: .success(.retry(after: 2)))) == "wait 2.0 for 2")
        #expect(name(lifecycle.waited()) == "admit 2 GET")
        #expect(name(lifecycle.refused(TransportError(.circuitOpen, message: "open"))) == "receive 503")
        #expect(name(lifecycle.admitted(after: nil)) == "ignore")
    }

    @Test func `41.4 a policy hears why a message can't be sent twice`() {
        var post = sending(hop("POST", body: [1]))
        let action = name(post.ended(Outcome(result: .failure(Self.refused), isRetried: true)))
        #expect(action == "retry? POST may not be repeated without an idempotency key")
        #expect(name(post.decided(onRetry: .success(.stop("no")))) == "fail connection_failed")
        var given = sending(hop())
        let gone = Outcome(result: .failure(Self.refused), isRetried: true, isGivenAway: true)
        #expect(name(given.ended(gone)) == "fail connection_failed")
    }

    @Test
    func `41.11 a redirect forgets what failed before it, and leaves a body behind that is not sent on`() {
        var lifecycle = sending(hop("POST", body: [1]))
        let led = Outcome(result: answer(303, [("Location", "/y")]), bodyObstacle: "it is gone")
        #expect(name(lifecycle.ended(led)) == "admit 1 GET")
        #expect(name(lifecycle.refused(Self.refused)) == "fail connection_failed")
        var kept = sending(hop("POST", body: [1]))
        let same = Outcome(result: answer(307, [("Location", "/y")]), bodyObstacle: "it is gone")
        #expect(name(kept.ended(same)).hasPrefix("fail 307: the server redirects a request that can't"))
    }

    @Test func `a function decides on a redirect`() {
        for (decision, then) in [
            (.success(true), "admit 1 GET"), (.success(false), "receive 302"),
            (.failure(Self.refused), "fail by a function"),
        ] as [(Result<Bool, any Error>, String)] {
            var lifecycle = sending(hop(asks: true))
            let outcome = Outcome(result: answer(302, [("Location", "/y")]))
            #expect(name(lifecycle.ended(outcome)) == "redirect? https://a.test/y")
            #expect(name(lifecycle.decided(onRedirect: decision)) == then)
        }
    }

    @Test func `a challenge is answered with a body that is there still`() {
        var lifecycle = sending(hop("PUT", body: [1]))
        let challenge = Outcome(result: answer(401), hasNewCredentials: true)
        #expect(name(lifecycle.ended(challenge)) == "admit 1 PUT")
        var spent = sending(hop("PUT", body: [1]))
        let gone = Outcome(result: answer(401), bodyObstacle: "it is gone", hasNewCredentials: true)
        #expect(name(spent.ended(gone)) == "receive 401")
    }

    /// For any events in any order: one end, no message after it, and one wait at a time.
    @Test func `events in every order end a request once`() {
        var random = FuzzRounds.random(seed: 41)
        for _ in 0..<FuzzRounds.count(3000) {
            var lifecycle = RequestLifecycle()
            var (ends, isOver) = (0, false)
            for _ in 0..<30 {
                let action = event(&random, &lifecycle)
                switch action {
                case .ignore: continue
                case .receive, .fail: ends += 1
                case .admit, .send, .decideRedirect, .decideRetry, .wait: break
                }
                #expect(!isOver, "\(name(action)) behind the end")
                if ends > 0 { isOver = true }
                if case .done = lifecycle.state { isOver = true }
            }
            #expect(ends <= 1)
        }
    }

    private func event(
        _ random: inout SeededRandom, _ lifecycle: inout RequestLifecycle
    ) -> RequestLifecycle.Action {
        let statuses = [200, 204, 302, 304, 401, 416, 503]
        let results: [TransportResult] =
            [.failure(Self.refused), .failure(Self.stale)]
            + statuses.map { answer($0, $0 == 302 ? [("Location", "/y")] : []) }
        switch random.int(below: 9) {
        case 0:
            return lifecycle.started(
                hop(["GET", "PUT", "POST"][random.int(below: 3)], asks: random.int(below: 2) > 0))
        case 1, 2: return lifecycle.admitted(after: random.int(below: 2) > 0 ? 1 : nil)
        case 3: return lifecycle.refused(Self.refused)
        case 4, 5:
            var outcome = Outcome(result: results[random.int(below: results.count)])
            outcome.isRetried = random.int(below: 2) > 0
            outcome.hasNewCredentials = random.int(below: 4) == 0
            outcome.isGivenAway = random.int(below: 4) == 0
            outcome.bodyObstacle = random.int(below: 4) == 0 ? "gone" : nil
            return lifecycle.ended(outcome)
        case 6: return lifecycle.decided(onRedirect: .success(random.int(below: 2) > 0))
        case 7:
            return lifecycle.decided(
                onRetry: .success(random.int(below: 2) > 0 ? .retry(after: 1) : .stop(nil)))
        default: return lifecycle.waited()
        }
    }
}
