extension NetworkWork {
    /// Waits for other hosts, if they share the resource and one of them may be loading it.
    func wait(
        for flights: any SharedFlights, _ step: Redirect.RequestStep, _ resolved: ResolvedConfiguration,
        _ request: Request
    ) {
        let flight = resource.sharedFlight(by: resolved) { [self] entity in
            if case .flight(_, let timer) = awaited { timer?.cancel() }
            awaited = .nothing
            guard let entity else { return begin(step, resolved, request) }
            let version = resource.pipelineVersion(of: resolved, generation)
            request.complete(
                ResponseInfo(
                    .success(entity), stageOutputs: StageOutputs(of: resource, pipelineVersion: version)))
        }
        guard let flight else { return begin(step, resolved, request) }
        self.flight = flight
        request.onCompletion { [unowned request] info in
            flight.ended(info, isOutdated: request.isOutdated)
        }
        let left = timeLeft
        let timer =
            left == .infinity
            ? nil
            : resource.engine.scheduler.after(left) { [self] in
                awaited = .nothing
                flight.abandon()
                end(.failure(failure(.transport(.overdue(after: totalSeconds)), step)), request)
            }
        awaited = .flight(flight, timer)
        flights.begin(flight)
    }
}
