import CurlTransport
import RestEngine

/// Sends commands to a running host over its admin socket.
@EngineActor
struct AdminClient {
    struct Answer {
        var status: Int
        var body: Tree
    }

    /// The path of the host's admin socket.
    let path: String
    private let transport: CurlTransport

    init(path: String) {
        self.path = path
        var options = TransportOptions()
        options.unixSocket = path
        options.proxy = ""
        transport = CurlTransport(options: options)
    }

    /// Sends a command. `target` is the path behind `/-/`. Throws when there is no valid answer.
    func ask(_ target: String, method: String = "GET", timeout: Double = 15) async throws(AdminError)
        -> Answer
    {
        var request = TransportRequest(method: method, url: "http://localhost/-/" + target)
        request.timeouts.connectSeconds = 5
        request.timeouts.firstByteSeconds = timeout
        request.timeouts.totalSeconds = timeout + 5
        let result = await withCheckedContinuation { continuation in
            _ = transport.send(request) { continuation.resume(returning: $0) }
        }
        switch result {
        case .failure(let error):
            throw AdminError(
                3, "no host answers at \(path): \(LocalSocket.refusal(path) ?? error.message)")
        case .success(let response):
            guard let body = try? Tree(json: response.body), body.kind == .object else {
                throw AdminError(3, "the program that answers at \(path) is not resthost")
            }
            return Answer(status: response.status, body: body)
        }
    }

    /// The same for an answer that must be a success.
    func successfulAnswer(
        to target: String, method: String = "GET", timeout: Double = 15
    ) async throws(AdminError) -> Tree {
        let answer = try await ask(target, method: method, timeout: timeout)
        guard answer.status == 200 else { throw AdminError(answer) }
        return answer.body
    }
}

/// The reason why a command failed.
struct AdminError: Error {
    /// The program's exit code: 1 refused, 2 wrong usage, 3 no such host.
    var code: Int32
    var message: String

    init(_ code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The host refused the command.
    init(_ answer: AdminClient.Answer) {
        code = 400...499 ~= answer.status ? 2 : 1
        message =
            answer.body["detail"]?.string ?? "the host answered with \(StatusPhrase.line(answer.status))"
        let names = answer.body["services"]?.elements.compactMap(\.string) ?? []
        if !names.isEmpty { message += "; the services are: \(names.joined(separator: ", "))" }
    }
}
