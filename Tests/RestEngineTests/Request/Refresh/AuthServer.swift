import RestEngine
import TestSupport

/// A service whose requests need a token that a gate renews: 401 for any token but `valid`.
@EngineActor
final class AuthServer {
    let fixture = EngineFixture()
    let gate = RefreshGate()
    /// The token that requests send.
    var token = "old"
    /// The token that the server accepts.
    var valid = "new"
    var refreshes = 0
    /// The refresh. The token in the login's answer is the new one.
    var refresh: RefreshGate.Refresh = { $0(.failed(nil)) }

    init() throws {
        try configure("**", gate) { [unowned self] in refresh($0) }
        try fixture.transport.stub(
            method: nil, urlGlob: "https://api.test/v1/**", reply: { [unowned self] in answer($0) })
        refresh = { [unowned self] done in login { done($0 ? .renewed : .failed(nil)) } }
    }

    isolated deinit { fixture.service.flushUnusedResources() }

    /// Guards the resources of a glob with a gate.
    func configure(_ glob: String, _ gate: RefreshGate, refresh: @escaping RefreshGate.Refresh) throws {
        try fixture.configure(glob) { [unowned self] draft in
            draft.configuration.headers.set("Authorization", token)
            draft.configuration.decorators.append(
                gate.decorator(when: { $0.httpStatusCode == 401 }) { [unowned self] done in
                    refreshes += 1
                    refresh(done)
                })
        }
    }

    private func answer(_ request: TransportRequest) -> StubReply {
        if request.url.hasSuffix("/login") { return .text(200, valid, delay: .seconds(1)) }
        return request.headers["Authorization"] == valid ? .text(200, "in") : .response(401)
    }

    /// Asks for a token. If there is one, requests send it from then on.
    func login(then: @escaping @EngineActor (Bool) -> Void) {
        fixture.resource("login").request("POST").onCompletion { [unowned self] info in
            if case .success(let entity) = info.response {
                token = entity.content.text ?? ""
                fixture.service.invalidateConfiguration()
                then(true)
            } else {
                then(false)
            }
        }
    }

    /// Sends requests whose outcomes the journal gets.
    @discardableResult
    func requests(_ names: String..., journal: Journal) -> [Request] {
        names.map { journal.follow(fixture.watch(fixture.resource($0).request("GET")), $0) }
    }

    /// Lets time pass in steps, so that a request that waited for one event can wait for the next one.
    func run(_ seconds: Double) {
        fixture.settle()
        for _ in 0..<Int(seconds * 4) { fixture.advance(0.25) }
    }

    /// The number of times that each path was sent.
    var sent: [String: Int] {
        fixture.transport.requests.reduce(into: [:]) {
            $0[$1.url.replacing("https://api.test/v1/", with: ""), default: 0] += 1
        }
    }
}
