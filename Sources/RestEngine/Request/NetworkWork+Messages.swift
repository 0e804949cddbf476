extension NetworkWork {
    /// Nil when no credentials can be made; the log says why, and the server's refusal stands.
    func attempt<Result>(
        _ target: AuthenticationTarget, _ make: () throws(DigestChallenge.Fault) -> Result
    ) -> Result? {
        do throws(DigestChallenge.Fault) { return try make() } catch {
            let message = "no answer to the challenge of \(target.origin): \(error.message)"
            resource.engine.log.write(.warning, message)
            return nil
        }
    }

    /// Of an answer that is one.
    func failure(
        _ response: TransportResponse, _ entity: Entity, _ step: Redirect.RequestStep
    ) -> RequestError {
        RequestError(
            httpStatusCode: response.status, entity: entity, timestamp: resource.engine.scheduler.now,
            url: step.url, method: step.method)
    }
}
