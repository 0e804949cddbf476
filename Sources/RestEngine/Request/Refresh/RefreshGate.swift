/// Renews what requests need to be let in, such as a token, once for all requests that were refused together.
///
/// A guarded request is a chain (rules 10). When it fails in the way that the guard looks for, it waits for
/// a refresh, the one that runs or a new one, and is then repeated once; what the repeat brings, stands. A
/// request that was made before the last refresh succeeded has an older token than the newest: it is repeated
/// at once. A refresh that fails ends all that wait for it, and so it does with what was on its way while it
/// ran. A refresh that has not ended within its time limit is given up: the next refused request begins
/// another.
///
/// **What a refresh itself requests never waits for it**, or both would wait for ever: a request that the
/// refresh's function makes, starts or attaches a hook to (which awaiting does too), at any time until the
/// refresh is over, fails with its own failure. The same holds for what such a request waits for as a chain,
/// and for refreshes that wait for one another. Hooks, turns and timers carry on what they belong to, and so
/// does the task of an asynchronous refresh with its child tasks; a detached task does not.
@EngineActor
public final class RefreshGate {
    /// What came of a refresh.
    public enum Outcome: Sendable {
        /// Requests are worth repeating.
        case renewed
        /// They are not: they fail with this error, or with their own.
        case failed(RequestError?)
    }

    /// Whether a failure calls for a refresh. Never asked about a cancellation.
    public typealias Predicate = @EngineActor (RequestError) throws -> Bool
    /// Renews, and then calls its argument. Only the first call counts.
    public typealias Refresh = @EngineActor (@escaping @EngineActor (Outcome) -> Void) -> Void

    /// How many refreshes have succeeded; which one a request was made after.
    private var renewals = 0
    private var running: RefreshPass?
    private var lastFailure: (tick: UInt64, error: RequestError?)?
    private let longestRefresh: Double

    /// - Parameter timeLimit: A refresh that takes longer is given up when the next request is refused, so
    ///   that a call that never returns does not keep later requests out.
    public nonisolated init(timeLimit: Duration = .seconds(60)) { longestRefresh = timeLimit.inSeconds }

    /// The request, guarded. It starts when the result does.
    public func guarding(
        _ request: Request, when predicate: @escaping Predicate, refresh: @escaping Refresh
    ) -> Request {
        request.chain(by: { [self] in
            let renewals = renewals
            return { [self] info, decision in
                do {
                    guard let error = info.response.error, !info.isCancellation, try predicate(error) else {
                        return decision.answer(.useThisResponse)
                    }
                    admit(decision, madeAfter: renewals, refresh)
                } catch { decision.fail(error) }
            }
        })
    }

    /// The same for all requests of a configuration.
    public func decorator(when predicate: @escaping Predicate, refresh: @escaping Refresh) -> RequestDecorator
    {
        { [self] _, request in guarding(request, when: predicate, refresh: refresh) }
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
        RefreshScope.run(in: [pass]) {
            refresh { [self] outcome in
                if !pass.isOver { end(pass, outcome, tick: scheduler.tick) }
            }
        }
    }

    private func end(_ pass: RefreshPass, _ outcome: Outcome, tick: UInt64) {
        let waiting = pass.end()
        running = nil
        RefreshScope.run(in: []) {
            switch outcome {
            case .renewed:
                renewals += 1
                lastFailure = nil
                for decision in waiting { repeatRequest(of: decision) }
            case .failed(let error):
                lastFailure = (tick, error)
                for decision in waiting { fail(decision, with: error) }
            }
        }
    }

    private func repeatRequest(of decision: ChainDecision) {
        // A chain that was cancelled meanwhile needs no request to be built.
        if decision.isAwaited { decision.answer(.passTo(decision.request.repeated())) }
    }

    private func fail(_ decision: ChainDecision, with error: RequestError?) {
        if let error {
            decision.answer(.useResponse(ResponseInfo(.failure(error))))
        } else {
            decision.answer(.useThisResponse)
        }
    }
}
