import TestSupport
import Testing

@testable import RestEngine

/// Requests of one engine that meet some circumstances in a random order, and the conditions that must hold
/// in any order.
@EngineActor
final class CircumstanceRun {
    /// One request of the run.
    private final class Member {
        let number: Int
        let request: Request
        let began: Double
        var ended: Double?
        let receiver: PiecesReceiver?
        let file: String?

        init(_ number: Int, _ request: Request, _ began: Double, _ receiver: PiecesReceiver?, _ file: String?)
        {
            (self.number, self.request, self.began) = (number, request, began)
            (self.receiver, self.file) = (receiver, file)
        }
    }

    private let fixture = EngineFixture()
    private let server: CircumstanceServer
    private let circumstances: Set<Circumstance>
    private let folder = TemporaryFolder()
    private var random: SeededRandom
    private var members: [Member] = []
    /// Refreshes that have not ended.
    private var refreshes: [@EngineActor (RefreshGate.Outcome) -> Void] = []
    private let gate = RefreshGate(timeLimit: .seconds(5))
    private let digest: DigestAuthentication
    /// The largest number of concurrent requests that was allowed so far.
    private var mostAtOnce = 0
    private(set) var violations: [String] = []

    /// The total timeout in seconds, with ``Circumstance/deadline``.
    private static let total = 2.0

    init(_ pair: CircumstancePair, seed: UInt64) throws {
        circumstances = [pair.one, pair.other]
        random = SeededRandom(seed: seed &* 3)
        server = CircumstanceServer(circumstances, seed: seed)
        digest = try DigestAuthentication(user: "u", password: "p") { "c" }
        var chances = SeededRandom(seed: seed &+ 1)
        fixture.engine.random = { Double(chances.int(below: 1000)) / 1000 }
        let transport = fixture.transport
        try transport.stub(method: nil, urlGlob: "https://**") { [server] in server.answer($0) }
        server.onMessage = { [unowned self] in came($0) }
        try declare()
    }

    private func meets(_ circumstance: Circumstance) -> Bool { circumstances.contains(circumstance) }

    private func declare() throws {
        let inFlight = 1 + random.int(below: 3)
        mostAtOnce = max(mostAtOnce, inFlight)
        try fixture.configure { [unowned self] draft in
            if meets(.retry) || meets(.shortage) { draft.configuration.retry = RetryPolicy() }
            if meets(.breaker) {
                var policy = BreakerPolicy()
                policy.requests = 2
                draft.configuration.breaker = policy
            }
            if meets(.concurrency) || meets(.rate) {
                var limits = RequestLimits(scope: .named("all"))
                if meets(.concurrency) { limits.inFlight = inFlight }
                if meets(.rate) { limits.rate = .init(requests: 5, burst: 2) }
                draft.configuration.limits = limits
            }
            draft.configuration.timeouts.totalSeconds = meets(.deadline) ? Self.total : 0
            if meets(.challenge) { draft.configuration.decorators.append(digest.decorator) }
            if meets(.refresh) {
                draft.configuration.decorators.append(
                    gate.decorator(when: { $0.httpStatusCode == 401 }) { [unowned self] in
                        refreshes.append($0)
                        endRefreshes(ifWell: true)
                    })
            }
        }
    }

    /// A healthy server accepts all requests.
    private func endRefreshes(ifWell: Bool) {
        guard !ifWell || server.isWell else { return }
        let ending = refreshes
        refreshes = []
        for done in ending {
            done(server.isWell || random.int(below: 3) > 0 ? .renewed : .failed(nil))
        }
    }

    // MARK: Events

    /// Runs the events, then ends all requests.
    func run() async throws {
        for _ in 0..<40 {
            switch random.int(below: 10) {
            case 0...2 where members.count < 8: begin()
            case 3 where meets(.cancellation) && !members.isEmpty:
                members[random.int(below: members.count)].request.cancel()
            case 4 where meets(.refresh): endRefreshes(ifWell: false)
            case 5 where meets(.reload): try reload()
            case 6 where meets(.offline): fixture.engine.isOffline.toggle()
            default: break
            }
            for _ in 0..<random.int(below: 8) { await pass(0.05) }
        }
        server.isWell = true
        fixture.engine.isOffline = false
        endRefreshes(ifWell: true)
        for _ in 0..<160 where !isQuiet { await pass(0.25) }
        checkEnd()
        await checkOrigins()
        fixture.service.flushUnusedResources()
        for member in members { fixture.watch(member.request) }
        members = []
        refreshes = []
        server.onMessage = nil
        fixture.transport.clear()
    }

    private var isQuiet: Bool { members.allSatisfy { $0.ended != nil } }

    private func begin() {
        let number = members.count
        var options = RequestOptions()
        if meets(.streamedUpload) {
            let pipe = BodyPipe()
            pipe.write(Array("hello".utf8))
            pipe.finish()
            options.body = .stream(pipe)
        }
        let receiver = meets(.streamedBody) ? PiecesReceiver() : nil
        options.receiver = receiver
        if meets(.download), receiver == nil { options.file = "\(folder.path)/\(number)" }
        let request = fixture.resource("r/\(number)").request(meets(.streamedUpload) ? .put : .get, options)
        let member = Member(number, request, fixture.clock.uptime, receiver, options.file)
        members.append(member)
        request.onCompletion { [unowned self, unowned member] _ in member.ended = fixture.clock.uptime }
    }

    private func reload() throws {
        _ = fixture.service.redefine(standardTransformers: StandardTransformer.allCases, transport: nil)
        try declare()
        fixture.service.definitionIsComplete()
    }

    /// Lets time pass, and lets other threads answer.
    private func pass(_ seconds: Double) async {
        fixture.clock.advance(by: seconds)
        repeat {
            fixture.settle()
            await fixture.engine.offloadedWorkIsDone()
        } while fixture.settle() > 0
        if meets(.concurrency), fixture.transport.transfersInFlight > mostAtOnce {
            report("\(fixture.transport.transfersInFlight) messages were on their way")
        }
        guard meets(.deadline) else { return }
        for member in members {
            let time = (member.ended ?? fixture.clock.uptime) - member.began
            if time > Self.total + seconds + 0.001 {
                report("request \(member.number) took \(time) s, and may take \(Self.total) s")
            }
        }
    }

    // MARK: Conditions

    private func report(_ text: String) { if violations.count < 5 { violations.append(text) } }

    /// A message reached the server.
    private func came(_ number: Int) {
        if fixture.engine.isOffline { report("request \(number) was sent offline") }
        guard members.indices.contains(number) else { return }
        if members[number].request.state == .completed { report("request \(number) was sent after its end") }
    }

    private func checkEnd() {
        for member in members {
            guard member.ended != nil else {
                report("request \(member.number) does not end")
                member.request.cancel()
                continue
            }
            check(member)
        }
        fixture.settle()
        let transport = fixture.transport
        if transport.transfersInFlight > 0 { report("\(transport.transfersInFlight) transfers go on") }
        for limit in fixture.engine.attemptFacts.limits where limit.inFlight + limit.waiting > 0 {
            report("\(limit.inFlight) permits of \(limit.name) were not given back, \(limit.waiting) wait")
        }
        for breaker in fixture.engine.attemptFacts.breakers where breaker.isProbed {
            report("the breaker of \(breaker.origin) waits for a probe that has ended")
        }
    }

    private func check(_ member: Member) {
        let request = member.request
        let attempts = request.attempts
        // The messages of a repeat belong to another request.
        if !meets(.refresh) {
            let sent = server.messages[member.number] ?? 0
            let isListed = sent == attempts.count || request.isCancelled && sent == attempts.count + 1
            let wasCut = meets(.deadline) && request.info?.response.error?.code == "timeout"
            if !isListed, !(wasCut && sent == attempts.count + 1) {
                report("request \(member.number) sent \(sent) messages, and lists \(attempts.count)")
            }
        }
        guard let error = request.info?.response.error else { return checkBody(member) }
        guard !request.isCancelled else { return }
        if let status = error.httpStatusCode {
            if attempts.last?.status != status || attempts.last?.url != error.url {
                report("request \(member.number) fails with \(error), and its last message is \(attempts)")
            }
        } else if case .transport(let cause) = error.cause, let last = attempts.last?.error,
            cause.code == last.code, attempts.last?.url != error.url
        {
            report("request \(member.number) fails with \(error), and its last message is \(attempts)")
        }
        if let file = member.file, (try? WholeFile.read(file, limit: 1 << 20)) != nil {
            report("request \(member.number) failed and left a file")
        }
    }

    private func checkBody(_ member: Member) {
        guard (200..<300).contains(member.request.attempts.last?.status ?? 0) else {
            return report("request \(member.number) succeeded without an answer: \(member.request.attempts)")
        }
        let body: [UInt8]? =
            if let receiver = member.receiver {
                receiver.bytes
            } else if let file = member.file {
                try? WholeFile.read(file, limit: 1 << 20)
            } else {
                CircumstanceServer.body
            }
        if body != CircumstanceServer.body {
            report("request \(member.number) got \(body?.count ?? -1) bytes, not those of the server")
        }
    }

    /// No origin stays refused while its server is healthy.
    private func checkOrigins() async {
        let other = fixture.watch(
            Service(engine: fixture.engine, name: "other", baseURL: try? BaseURL("https://other.test/")))
        other.configure { [unowned self] in if meets(.breaker) { $0.breaker = BreakerPolicy() } }
        for service in [fixture.service, other] {
            for _ in 0..<24 { await pass(0.25) }
            let request = service.resource("r/1000").request(.get)
            for _ in 0..<16 where request.state != .completed { await pass(0.25) }
            if let error = request.info?.response.error {
                report("a server that is well is refused: \(error)")
            }
            if request.state != .completed {
                report("a request to a server that is well does not end")
                request.cancel()
                fixture.settle()
            }
        }
        other.flushUnusedResources()
    }
}
