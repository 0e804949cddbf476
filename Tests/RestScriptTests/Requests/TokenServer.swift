import RestEngine

/// `https://api.test/v1/…` lets in who sends the newest token; `login` gives it out after a second.
@EngineActor
final class TokenServer {
    /// The number of the token that it accepts.
    var valid = 1
    /// The status of `login`.
    var loginStatus = 200
    private(set) var logins = 0
    /// Paths in the order of arrival, with the token that they came with.
    private(set) var journal: [String] = []

    /// Installs it, with some seconds between request and answer.
    init(_ transport: StubTransport, delay: Double = 0) throws {
        try transport.stub(method: nil, urlGlob: "https://api.test/v1/**") { [unowned self] request in
            answer(request).delayed(by: delay)
        }
        try transport.stub(method: nil, urlGlob: "https://api.test/v1/login") { [unowned self] _ in
            logins += 1
            guard loginStatus == 200 else { return .response(loginStatus, delay: 1) }
            valid += 1
            return .json(200, #"{"token":"t\#(valid)"}"#, delay: 1)
        }
    }

    private func answer(_ request: TransportRequest) -> StubReply {
        let token = request.headers["Authorization"] ?? "none"
        let path = request.url.replacing("https://api.test/v1/", with: "")
        journal.append("\(path) \(token)")
        return token == "t\(valid)" ? .text(200, "\(path) with \(token)") : .response(401)
    }
}
