extension RefreshGate {
    /// Guards all requests of a configuration with a refresh that is asynchronous:
    ///
    ///     let gate = RefreshGate()
    ///     try service.configure("**") { configuration in
    ///         configuration.decorators.append(gate.decorator(when: { $0.httpStatusCode == 401 }) { try await logIn() })
    ///     }
    ///
    /// The gate belongs outside of the block: blocks run again and again, and requests that fail together share a gate.
    ///
    /// - Parameter renew: When it throws, the requests that wait for it fail with that error.
    public func decorator(
        when predicate: @escaping Predicate, renew: @escaping @EngineActor () async throws -> Void
    ) -> RequestDecorator {
        { [self] resource, request in
            guarding(request, when: predicate) { done in
                RefreshScope.task {
                    do {
                        try await renew()
                        done(.renewed)
                    } catch {
                        done(.failed(RequestError(thrown: error, timestamp: resource.engine.scheduler.now)))
                    }
                }
            }
        }
    }
}
