import RestEngine

/// Hooks run one after the other on the engine loop (rules 72).
extension EngineClient {
    /// The result of the functions before a request.
    enum HookResult: Sendable {
        case proceed(forward: Headers, partition: String?)
        /// One of them answered. The number is for the metrics' labels.
        case answered(Outcome, labels: Int)
    }

    /// Runs the functions until one answers. `completion` is called exactly once, maybe before this returns.
    @EngineActor
    func run(
        _ hooks: ArraySlice<HookTable.Match<GatewayHook.Before>>, _ request: ServedRequest, forward: Headers,
        _ completion: @escaping @EngineActor (HookResult) -> Void
    ) {
        guard let hook = hooks.first else {
            return completion(.proceed(forward: forward, partition: request.partition))
        }
        var own = request
        own.params = hook.params
        let labels =
            metrics.isCounting ? metrics.labels(Self.hostService, hook.template) : GatewayMetrics.noLabels
        WorkScope.serving(request.origin) {
            hook.function(own, forward) { result in
                switch result {
                case .success(.proceed(let forward, let partition)):
                    var request = request
                    request.partition = partition
                    self.run(hooks.dropFirst(), request, forward: forward, completion)
                case .success(.answer(let answer)):
                    completion(.answered(self.outcome(of: .success(answer), request), labels: labels))
                case .failure(let error):
                    completion(.answered(self.outcome(of: .failure(error), request), labels: labels))
                }
            }
        }
    }

    /// Runs the functions after an answer, each with the head that the one before left.
    @EngineActor
    func run(
        _ hooks: ArraySlice<HookTable.Match<GatewayHook.After>>, _ request: ServedRequest, _ head: ServedHead,
        _ completion: @escaping @EngineActor (Result<ServedHead, Problem>) -> Void
    ) {
        guard let hook = hooks.first else { return completion(.success(head)) }
        var own = request
        own.params = hook.params
        WorkScope.serving(request.origin) {
            hook.function(own, head) { result in
                switch result {
                case .success(let head): self.run(hooks.dropFirst(), request, head, completion)
                case .failure(let error): completion(.failure(self.problem(of: error, answering: request)))
                }
            }
        }
    }
}
