/// Limits, breaker and retries of a request whose configuration has some (rules 41 to 43).
extension NetworkWork {
    /// Sends a message when it may go.
    func admit(_ leg: RequestLeg, to url: URLText, by driver: AttemptDriver, _ request: Request) {
        driver.admit(leg, to: url, timeLeft: timeLeft) { [self] admission in
            switch admission {
            case .success(let queued):
                transmit(leg.queued(queued), request)
            case .failure(let error):
                // What came of the attempt before says more.
                switch leg.failed {
                case .success(let response)?: receive(response, leg.step, request)
                case .failure(let earlier)?: fail(leg, earlier, request)
                case nil: fail(leg, error, request)
                }
            }
        }
    }

    /// The limits of the configuration as it is now. When it has none any more, these hold nothing back.
    var limitsNow: RequestLimits? {
        let resolved = finalConfiguration
        guard resolved.failure == nil else { return nil }
        return resolved.configuration.attemptRules?.rules.limits
            ?? driver?.rules.limits.map { RequestLimits(scope: $0.scope) }
    }

    /// The same message on a connection of its own, when one that was kept broke before a byte of the answer
    /// came (41.10). Where there is a policy of retries it decides.
    func resent(_ leg: RequestLeg, _ error: TransportError) -> RequestLeg? {
        guard error.isStaleConnection, driver?.rules.retry == nil,
            !(leg.failed?.error?.isStaleConnection ?? false), obstacle(leg.step) == nil
        else { return nil }
        logRetry("\(leg.step.method) \(leg.step.url) is sent again because \(error.message)")
        return leg.goingOn(after: .failure(error))
    }

    /// Why the message can't be sent a second time (41.4, 41.5).
    private func obstacle(_ step: Redirect.RequestStep) -> String? {
        guard Method.mayBeRepeated(step.method, step.headers) else {
            return "\(step.method) may not be repeated without an idempotency key"
        }
        return obstacle(inBodyOf: step)
    }

    /// Why the body isn't what was sent before (41.5, 69.4).
    func obstacle(inBodyOf step: Redirect.RequestStep) -> String? {
        if step.payload.isSpent { return RequestPayload.spentMessage }
        guard let files, let now = step.payload.fileStamps else { return nil }
        return now != files || now.contains(nil) ? RequestPayload.changedMessage : nil
    }

    /// Sends a failed message again, if that is worth while; false when the failure stands.
    func tryAgain(
        _ leg: RequestLeg, _ result: TransportResult, by driver: AttemptDriver, _ request: Request
    ) -> Bool {
        let scheduler = resource.engine.scheduler
        let decision: RetryDecision
        do {
            decision = try driver.decide(leg, result, obstacle: obstacle(leg.first), timeLeft: timeLeft) {
                error(of: leg, result)
            }
        } catch {
            let fault = RequestError(
                thrown: error, timestamp: scheduler.now, url: leg.step.url, method: leg.step.method)
            finish(.failure(fault), leg.step, request)
            return true
        }
        switch decision {
        case .stop(let why?):
            logRetry("\(leg.step.method) \(leg.step.url) is not sent again: \(why)")
            return false
        case .stop(nil): return false
        case .retry(let wait):
            let next = leg.again(after: result, waiting: wait)
            logRetry(
                "\(leg.step.method) \(leg.step.url) is sent again in \((wait * 1000).rounded() / 1000) s because of "
                    + (next.reason.map { "\($0)" } ?? ""))
            driver.wait(wait) { [self] in send(next, request) }
            return true
        }
    }

    private func logRetry(_ text: @autoclosure () -> String) { resource.engine.log.write(.network, text()) }

    func fail(_ leg: RequestLeg, _ error: TransportError, _ request: Request) {
        finish(.failure(failure(.transport(error), leg.step)), leg.step, request)
    }

    /// As the policy's function sees it: before the pipeline.
    private func error(of leg: RequestLeg, _ result: TransportResult) -> RequestError {
        var error: RequestError
        switch result {
        case .success(let response):
            let entity = Entity(
                response: response, url: leg.step.url, timestamp: resource.engine.scheduler.now)
            error = failure(response, entity, leg.step)
        case .failure(let failure): error = self.failure(.transport(failure), leg.step)
        }
        error.attempt = leg.number
        return error
    }
}
