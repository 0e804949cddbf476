import RestEngine
import Synchronization
import TestSupport

@testable import Gateway

/// Stands for an issuer of tokens and its address with keys.
final class IssuerStub: Sendable {
    private struct State {
        var answer: Result<[UInt8], GatewayKeyFailure>
        var count = 0
        var held: [@Sendable (Result<[UInt8], GatewayKeyFailure>) -> Void]?
        var complaints: [String] = []
    }

    private let state: Mutex<State>

    init(_ keys: [Tree]) { state = Mutex(State(answer: .success(TestIssuer.set(keys)))) }

    /// How often the keys were fetched.
    var count: Int { state.withLock { $0.count } }

    var complaints: [String] { state.withLock { $0.complaints } }

    func use(_ keys: [Tree]) { answer(.success(TestIssuer.set(keys))) }

    func fail() { answer(.failure(GatewayKeyFailure("connection refused"))) }

    func answer(_ answer: Result<[UInt8], GatewayKeyFailure>) { state.withLock { $0.answer = answer } }

    /// Later fetches wait for ``release()``.
    func hold() { state.withLock { $0.held = [] } }

    func release() {
        let (held, answer) = state.withLock { state in
            defer { state.held = nil }
            return (state.held ?? [], state.answer)
        }
        for completion in held { completion(answer) }
    }

    static let url = "https://issuer.example/keys"

    static let rules = TokenRules(
        issuer: "https://issuer.example", audiences: ["shop"], algorithms: [.rs256, .es256, .edDSA],
        clockSkew: 0, required: [])

    func configure(_ configuration: inout GatewayConfiguration) {
        configuration.jwt = GatewayJWT(keys: .url(Self.url), rules: Self.rules)
        configuration.fetchKeys = { [self] _, completion in
            let answer: Result<[UInt8], GatewayKeyFailure>? = state.withLock { state in
                state.count += 1
                guard state.held != nil else { return state.answer }
                state.held?.append(completion)
                return nil
            }
            if let answer { completion(answer) }
        }
        configuration.onKeyFailure = { [self] text in state.withLock { $0.complaints.append(text) } }
    }

    /// Claims that are right for so many seconds on the tests' clock.
    static func claims(_ name: String = "ada", for seconds: Int = 1000, _ more: String = "") -> String {
        #"{"iss":"https://issuer.example","aud":"shop","sub":"\#(name)","exp":\#(1_000_000 + seconds)\#(more)}"#
    }

    /// The field with a token.
    static func field(_ token: String) -> String { "Authorization: Bearer \(token)" }
}
