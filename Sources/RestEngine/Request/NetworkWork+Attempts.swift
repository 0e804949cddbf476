/// Limits, breaker and retries of a request whose configuration has some (rules 41 to 43).
extension NetworkWork {
    /// The limits of the current configuration. If it has none, nothing holds the request back.
    var limitsNow: RequestLimits? {
        let resolved = finalConfiguration
        guard resolved.failure == nil else { return nil }
        return resolved.configuration.attemptRules?.rules.limits
            ?? permits?.rules.limits.map { RequestLimits(scope: $0.scope) }
    }

    /// Decides whether and when a failed message is sent again.
    ///
    /// - Parameter obstacle: The reason why it can't be sent a second time; nil if it can.
    func decideRetry(
        _ hop: RequestHop, _ result: TransportResult, _ obstacle: String?
    ) -> Result<RetryDecision, any Error> {
        guard let permits, let policy = permits.rules.retry else { return .success(.stop(nil)) }
        let engine = resource.engine
        var question = RetryQuestion(
            number: hop.number - hop.firstNumber + 1, obstacle: obstacle, timeLeft: timeLeft)
        switch result {
        case .success(let response):
            question.status = response.status
            question.retryAfter = response.headers["Retry-After"].map {
                RetryAfter($0, now: engine.scheduler.now)
            }
        case .failure(let error): question.error = error
        }
        do {
            if let early = policy.mayRetry(question) { return .success(log(early, hop, question, policy)) }
            if let when = policy.when { question.answer = try when(error(of: hop, result), hop.number) }
        } catch { return .failure(error) }
        let decision = policy.decide(question) {
            engine.random()
        } pays: {
            permits.payForRetry(share: policy.budget)
        }
        return .success(log(decision, hop, question, policy))
    }

    private func log(
        _ decision: RetryDecision, _ hop: RequestHop, _ question: RetryQuestion, _ policy: RetryPolicy
    ) -> RetryDecision {
        let log = resource.engine.log
        let name = "\(hop.step.method) \(hop.step.url)"
        switch decision {
        case .stop(nil): break
        case .stop(let why?): log.write(.network, "\(name) is not sent again: \(why)")
        case .retry(let seconds):
            if let remark = question.retryAfter?.remark(cap: policy.capSeconds) {
                log.write(.network, "the Retry-After of \(hop.step.url) \(remark)")
            }
            let reason = question.status.map { "\($0)" } ?? question.error?.code.rawValue ?? ""
            let rounded = (seconds * 1000).rounded() / 1000
            log.write(.network, "\(name) is sent again in \(rounded) s because of \(reason)")
        }
        return decision
    }

    /// The error for the policy's function: before the pipeline.
    private func error(of hop: RequestHop, _ result: TransportResult) -> RequestError {
        var error: RequestError
        switch result {
        case .success(let response):
            let entity = Entity(
                response: response, url: hop.step.url, timestamp: resource.engine.scheduler.now)
            error = failure(response, entity, hop.step)
        case .failure(let failure): error = self.failure(.transport(failure), hop.step)
        }
        error.attempt = hop.number
        return error
    }
}
