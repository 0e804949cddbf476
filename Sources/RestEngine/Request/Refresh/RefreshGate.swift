/// Renews the credentials of requests, such as a token, once for all requests that were refused together.
///
/// A guarded request is a chain (rules 10). If it fails with an error for which the predicate is true, it
/// waits for a refresh, the current one or a new one, and is then repeated once; the result of the repeat is
/// final, unless the credentials were those of another host, which may have expired. A request that was made
/// before the last refresh succeeded has an old token, and is repeated at once. If a refresh fails, all
/// requests that wait for it fail, and so do refused requests that were started before the failure. A refresh
/// that exceeds its time limit is abandoned: the next refused request starts another.
///
/// **Requests of a refresh never wait for that refresh**, because both would wait forever. A request that the
/// refresh function makes, starts or attaches a hook to (awaiting attaches one), at any time until the
/// refresh is over, fails with its own failure. The same applies to requests that such a request waits for as
/// a chain, and to refreshes that wait for each other. Hooks, ticks and timers inherit the refresh that they
/// belong to. The task of an asynchronous refresh and its child tasks do too; a detached task does not.
@EngineActor
public final class RefreshGate {
    /// The result of a refresh.
    public enum Outcome: Sendable {
        /// The waiting requests should be repeated.
        case renewed
        /// The same with credentials that another host got. They may have expired since, so a request that is
        /// refused again may need another refresh.
        case taken
        /// The waiting requests fail with this error, or with their own.
        case failed(RequestError?)
    }

    /// Whether a failure requires a refresh. Not called for a cancellation.
    public typealias Predicate = @EngineActor (RequestError) throws -> Bool
    /// Renews the credentials, and then calls its argument. Only the first call counts.
    public typealias Refresh = @EngineActor (@escaping @EngineActor (Outcome) -> Void) -> Void

    /// The number of successful refreshes; also identifies the last one before a request was made.
    private var renewals = 0
    /// The current credentials are those of another host.
    private var isTaken = false
    private var running: RefreshPass?
    private var lastFailure: (tick: UInt64, error: RequestError?)?
    private let longestRefresh: Double
    /// Credentials of a partition are its own (77.9), so it has a gate of its own.
    private var gatesOfPartitions: [String: RefreshGate] = [:]
    private static let mostGates = 10_000

    /// - Parameter timeLimit: A refresh that takes longer is abandoned when the next request is refused, so
    ///   that a call that never returns does not block later requests.
    public nonisolated init(timeLimit: Duration = .seconds(60)) { longestRefresh = timeLimit.inSeconds }

    private func gate(of partition: String?) -> RefreshGate {
        guard let partition else { return self }
        if let known = gatesOfPartitions[partition] { return known }
        if gatesOfPartitions.count >= Self.mostGates {
            gatesOfPartitions = gatesOfPartitions.filter { $0.value.running != nil }
        }
        let made = RefreshGate(timeLimit: Duration(inSeconds: longestRefresh))
        gatesOfPartitions[partition] = made
        return made
    }

    /// A guarded request. Starting it starts `request`.
    public func guarding(
        _ request: Request, when predicate: @escaping Predicate, refresh: @escaping Refresh
    ) -> Request { guarding(request, when: predicate, refresh: refresh, isRepeat: false) }

    private func guarding(
        _ request: Request, when predicate: @escaping Predicate, refresh: @escaping Refresh, isRepeat: Bool
    ) -> Request {
        request.chain(by: { [self] in
            let renewals = renewals
            return { [self] info, decision in
                do {
                    guard let error = info.response.error, !info.isCancellation, try predicate(error) else {
                        return decision.answer(.useThisResponse)
                    }
                    if !isRepeat {
                        decision.guardRepeat = { [self] in
                            guarding($0, when: predicate, refresh: refresh, isRepeat: true)
                        }
                    }
                    admit(decision, madeAfter: renewals, refresh)
                } catch { decision.fail(error) }
            }
        })
    }

    /// A decorator that does the same for all requests of a configuration. Each partition has its own
    /// refresh, because its credentials are its own (77.9).
    public func decorator(when predicate: @escaping Predicate, refresh: @escaping Refresh) -> RequestDecorator
    {
        decorator(when: predicate, refreshFor: { _ in refresh })
    }

    /// The same with a function that makes the refresh of a partition.
    public func decorator(
        when predicate: @escaping Predicate,
        refreshOf refresh: @escaping @EngineActor (_ partition: String?) -> Refresh
    ) -> RequestDecorator {
        decorator(when: predicate, refreshFor: { refresh($0.clientPartition) })
    }

    /// The same with a function that makes the refresh for a resource's service and partition.
    package func decorator(
        when predicate: @escaping Predicate, refreshFor refresh: @escaping @EngineActor (Resource) -> Refresh
    ) -> RequestDecorator {
        { [self] resource, request in
            gate(of: resource.clientPartition).guarding(request, when: predicate, refresh: refresh(resource))
        }
    }

    private func admit(_ decision: ChainDecision, madeAfter renewals: Int, _ refresh: Refresh) {
        if renewals < self.renewals { return repeatRequest(of: decision) }
        let engine = decision.chain.engine
        if let running, engine.scheduler.uptime - running.began >= longestRefresh {
            engine.log.write(
                .warning, "a token refresh has not ended within \(longestRefresh) s: another one begins")
            end(running, .failed(nil), tick: engine.scheduler.tick)
            begin(with: decision, refresh)
        } else if let running {
            if !running.admit(decision) { decision.answer(.useThisResponse) }
        } else if let lastFailure, decision.chain.startTick <= lastFailure.tick {
            fail(decision, with: lastFailure.error)
        } else {
            begin(with: decision, refresh)
        }
    }

    private func begin(with decision: ChainDecision, _ refresh: Refresh) {
        let pass = RefreshPass(began: decision.chain.engine.scheduler.uptime)
        running = pass
        _ = pass.admit(decision)
        let scheduler = decision.chain.engine.scheduler
        WorkScope(refreshes: [pass], origin: decision.chain.origin, isWithinRequest: true).run {
            refresh { [self] outcome in
                if !pass.isOver { end(pass, outcome, tick: scheduler.tick) }
            }
        }
    }

    private func end(_ pass: RefreshPass, _ outcome: Outcome, tick: UInt64) {
        let waiting = pass.end()
        running = nil
        WorkScope.outside {
            switch outcome {
            case .renewed, .taken:
                renewals += 1
                lastFailure = nil
                if case .taken = outcome { isTaken = true } else { isTaken = false }
                inParts(waiting) { $0.repeatRequest(of: $1) }
            case .failed(let error):
                lastFailure = (tick, error)
                inParts(waiting) { $0.fail($1, with: error) }
            }
        }
    }

    /// Answers requests that waited. There may be thousands, and each repeat runs functions of a script.
    private func inParts(
        _ waiting: [ChainDecision], _ answer: @escaping @EngineActor (RefreshGate, ChainDecision) -> Void
    ) {
        guard let scheduler = waiting.first?.chain.engine.scheduler else { return }
        var left = waiting[...]
        scheduler.inParts { [self] in
            if let next = left.popFirst() { answer(self, next) }
            return !left.isEmpty
        }
    }

    private func repeatRequest(of decision: ChainDecision) {
        // If the chain was cancelled meanwhile, the repeat need not be built.
        guard decision.isAwaited else { return }
        var next = decision.request.repeated()
        if isTaken, let guarded = decision.guardRepeat?(next) { next = guarded }
        decision.answer(.passTo(next))
    }

    private func fail(_ decision: ChainDecision, with error: RequestError?) {
        if let error {
            decision.answer(.useResponse(ResponseInfo(.failure(error))))
        } else {
            decision.answer(.useThisResponse)
        }
    }
}
