/// The authentication of one message, with its target and its proof.
@EngineActor
final class MessageAuthentication {
    private let authentication: any RequestAuthentication
    private let target: AuthenticationTarget
    private let log: EngineLog
    private(set) var proof: AuthenticationProof?

    /// Nil if the message has no authentication.
    init?(of hop: RequestHop, in work: NetworkWork) {
        guard let authentication = work.plan.authentication,
            let target = AuthenticationTarget(hop.step, of: work.resource.url)
        else { return nil }
        (self.authentication, self.target) = (authentication, target)
        log = work.resource.engine.log
        proof = attempt { () throws(DigestChallenge.Fault) in try authentication.proof(for: target) } ?? nil
    }

    /// Whether an answer refused the credentials, and new ones are available.
    func isRenewed(by response: TransportResponse, after hop: RequestHop) -> Bool {
        attempt { () throws(DigestChallenge.Fault) in
            try authentication.renew(
                proof, by: response.status, response.headers, for: target, answers: hop.answers)
        } ?? false
    }

    /// Nil if no credentials can be made; the reason is logged, and the server's refusal stands.
    private func attempt<Result>(_ make: () throws(DigestChallenge.Fault) -> Result) -> Result? {
        do throws(DigestChallenge.Fault) { return try make() } catch {
            log.write(.warning, "no answer to the challenge of \(target.origin): \(error.message)")
            return nil
        }
    }
}
