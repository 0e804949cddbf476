extension NetworkWork {
    /// Waits for other hosts, if they share the resource and one of them may be loading it.
    func wait(
        for coordination: any HostCoordination, _ step: Redirect.RequestStep,
        _ resolved: ResolvedConfiguration,
        _ request: Request
    ) {
        let shared = resource.sharedLoad(by: resolved) { [self] entity in
            if case .otherHost(_, let timer) = awaited { timer?.cancel() }
            awaited = .nothing
            guard let entity else { return begin(step, resolved, request) }
            let version = resource.pipelineVersion(of: resolved, generation)
            request.complete(
                ResponseInfo(
                    .success(entity), stageOutputs: StageOutputs(of: resource, pipelineVersion: version)))
        }
        guard let shared else { return begin(step, resolved, request) }
        sharedLoad = shared
        // The load ends in this tick, unless this is only a part of its chain.
        request.onCompletion { [scheduler = resource.engine.scheduler] _ in
            scheduler.nextTick { shared.release() }
        }
        let left = timeLeft
        let timer =
            left == .infinity
            ? nil
            : resource.engine.scheduler.after(left) { [self] in
                awaited = .nothing
                shared.abandon()
                end(.failure(failure(.transport(.overdue(after: totalSeconds)), step)), request)
            }
        awaited = .otherHost(shared, timer)
        coordination.begin(shared)
    }
}
