import RestEngine

/// An answer whose body comes behind it, from the API to the client.
struct StreamedAnswer: Sendable {
    var status: Int
    var fields: [(String, String)]
    /// Nil where nobody knows.
    var length: Int64?
    let pipe: BodyPipe

    /// There is no body, whatever comes (RFC 9110 15.3.5, 15.3.6).
    var isEmpty: Bool { status == 204 || status == 205 }
}

/// Bodies that go through as they come (rules 69).
extension EngineClient {
    /// Reads a resource whose content is not to be held.
    @EngineActor
    func stream(
        _ resource: Resource, _ question: Question, _ forwarded: ForwardedHeaders,
        _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        if question.directives.isOnlyIfCached { return completion(.problem(.notCached)) }
        let proxied = ProxiedRequest(
            method: question.method, path: question.path, headers: [], fields: question.fields,
            trace: question.trace)
        exchange(proxied, with: resource, isStreamed: true, question.pendingRead, completion)
    }

    /// - Parameter isStreamed: The body of a success is not to be held.
    @EngineActor
    func exchange(
        _ proxied: ProxiedRequest, with resource: Resource, isStreamed: Bool, _ pendingRead: PendingRead,
        _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        var options = proxied.options
        // How long it takes is for both ends to say.
        options.timeout = .zero
        let headers = forwarded(of: resource)
        var answer: ProxiedAnswer?
        if isStreamed {
            options.headers.set("Accept-Encoding", "identity")
            if proxied.method == "GET" { options.headers.addRange(of: proxied.fields) }
            let forwarded = ProxiedAnswer { response, pipe in
                completion(
                    .body(StreamedAnswer(response, to: proxied, headers, from: resource.urlString, pipe)))
            }
            options.receiver = forwarded
            answer = forwarded
        }
        let request = resource.engine.tracing(proxied.trace) {
            resource.request(Method(proxied.method), options)
        }
        answer?.request = request
        pendingRead.onLeave { [weak request] in request?.cancel() }
        request.onCompletion { info in
            pendingRead.use()
            proxied.pipe?.close()
            Self.note(info.response, to: proxied.method, resource)
            if let answer, answer.hasBegun { return answer.end(info.response) }
            if proxied.isRead, isStreamed, case .failure(let error) = info.response {
                return completion(.problem(Problem(error, reading: proxied.path)))
            }
            completion(Self.outcome(info.response, proxied, of: resource, headers))
        }
    }
}

/// The body of a success on its way to a client.
@EngineActor
final class ProxiedAnswer: BodyReceiver {
    private let pipe = BodyPipe()
    private let onBegin: (TransportResponse, BodyPipe) -> Void
    private(set) var hasBegun = false
    private weak var transfer: (any Transfer)?
    weak var request: Request?
    /// Of the announced bytes, those that have not come; nil where nobody knows.
    private var missingBytes: Int64?

    init(onBegin: @escaping @EngineActor (TransportResponse, BodyPipe) -> Void) { self.onBegin = onBegin }

    func begin(_ response: TransportResponse, of transfer: any Transfer) {
        guard !hasBegun else {
            // A decorator asks again after a success, of which the client has some already.
            return pipe.fail(
                TransportError(.internal, message: "a body that was passed on can't be replaced"))
        }
        hasBegun = true
        self.transfer = transfer
        missingBytes = response.headers["Content-Length"].flatMap { Int64($0) }
        pipe.onRoom { [weak self] in EngineLoop.shared.submit { self?.goOn() } }
        onBegin(response, pipe)
    }

    func receive(_ bytes: [UInt8]) -> Bool {
        if let missing = missingBytes { missingBytes = missing - Int64(bytes.count) }
        return pipe.write(bytes)
    }

    /// The client takes more, or is gone; for the end of a transfer that has brought everything nobody has to
    /// stay.
    private func goOn() { pipe.isClosed && missingBytes != 0 ? request?.cancel() : transfer?.resume() }

    func end(_ response: Response) {
        switch response {
        case .success: pipe.finish()
        case .failure(let error):
            pipe.fail(TransportError(.internal, phase: .receive, message: error.userMessage))
        }
    }
}

extension StreamedAnswer {
    init(
        _ response: TransportResponse, to proxied: ProxiedRequest, _ forwarded: ForwardedHeaders, from url: String,
        _ pipe: BodyPipe
    ) {
        status = response.status
        self.pipe = pipe
        // It is left out with a coding that was taken off, of whose bytes others are the tags.
        length = response.headers["Content-Length"].flatMap { Int64($0) }
        fields = []
        var names = ["Content-Type", "Content-Encoding", "Accept-Ranges", "Content-Range"]
        // The tag of what was changed says nothing of the body.
        if length != nil || !proxied.isRead { names.append("ETag") }
        for name in names {
            guard let value = response.headers[name], value.utf8.allSatisfy(HTTPByte.isFieldValue) else {
                continue
            }
            fields.append((name, value))
        }
        fields += forwarded.fields(of: response.headers, from: url)
    }
}

extension Headers {
    /// The part that a client asks for is for the API to find.
    fileprivate mutating func addRange(of fields: RequestFields) {
        guard let range = fields.single("range") else { return }
        set("Range", range)
        if let condition = fields.single("if-range") { set("If-Range", ProxiedRequest.tagOfAPI(condition)) }
    }
}
