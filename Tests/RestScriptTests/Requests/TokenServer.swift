import RestEngine

/// `https://api.test/v1/…` accepts requests with the newest token. `login` issues a token after a second.
@EngineActor
final class TokenServer {
    /// The number of the valid token.
    var valid = 1
    /// The status of `login`.
    var loginStatus = 200
    private(set) var logins = 0
    /// Paths in the order of arrival, each with its token.
    private(set) var journal: [String] = []

    /// Installs the server, with `delay` seconds between request and answer.
    init(_ transport: StubTransport, delay: Double = 0) throws {
        try transport.stub(method: nil, urlGlob: "https://api.test/v1/**") { [unowned self] request in
            answer(request).delayed(by: delay)
        }
        try transport.stub(method: nil, urlGlob: "https://api.test/v1/login") { [unowned self] _ in
            logins += 1
            guard loginStatus == 200 else { return .response(loginStatus, delay: .seconds(1)) }
            valid += 1
            return .json(200, #"{"token":"t\#(valid)"}"#, delay: .seconds(1))
        }
    }

    private func answer(_ request: TransportRequest) -> StubReply {
        let token = request.headers["Authorization"] ?? "none"
        let path = request.url.replacing("https://api.test/v1/", with: "")
        journal.append("\(path) \(token)")
        return token == "t\(valid)" ? .text(200, "\(path) with \(token)") : .response(401)
    }
}
