import RestEngine

/// An answer whose body follows it from the API to the client.
struct StreamedAnswer: Sendable {
    var status: Int
    var fields: [(String, String)]
    var freshness: Freshness? = .unstored
    /// The length of the body; nil if it is unknown.
    var length: Int64?
    let pipe: BodyPipe
    /// The body is a stream of events, which gets heartbeats.
    var isEventStream = false
    /// Makes the body; nil if an API sends it.
    var begin: (@EngineActor @Sendable () -> Void)?

    /// The answer has no body, even if bytes arrive (RFC 9110 15.3.5, 15.3.6).
    var isEmpty: Bool { status == 204 || status == 205 }
}

/// Bodies that are forwarded as they arrive (rules 69).
extension EngineClient {
    /// Reads a resource whose content is not held in memory.
    @EngineActor
    func stream(
        _ resource: Resource, _ question: Question, _ forwarded: ForwardedHeaders,
        _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        if question.directives.isOnlyIfCached { return completion(.problem(.notCached)) }
        let proxied = ProxiedRequest(
            method: question.method, path: question.path, headers: [], fields: question.fields,
            origin: question.origin)
        exchange(proxied, with: resource, isStreamed: true, question.pendingRead, completion)
    }

    /// - Parameter isStreamed: The body of a success is not held in memory.
    @EngineActor
    func exchange(
        _ proxied: ProxiedRequest, with resource: Resource, isStreamed: Bool, _ pendingRead: PendingRead,
        _ completion: @escaping @EngineActor (Outcome) -> Void
    ) {
        var options = proxied.options
        // The two ends decide how long the exchange takes.
        options.timeoutSeconds = 0
        let headers = forwarded(of: resource)
        var answer: ProxiedAnswer?
        if isStreamed {
            options.headers.set("Accept-Encoding", "identity")
            if proxied.method == "GET" { options.headers.addRange(of: proxied.fields) }
            let forwarded = ProxiedAnswer { response, pipe in
                // A client with the whole body may read before the transfer has ended.
                if !Method.isSafe(proxied.method) { resource.outdate() }
                completion(
                    .body(StreamedAnswer(response, to: proxied, headers, from: resource.urlString, pipe)))
            }
            options.receiver = forwarded
            answer = forwarded
        }
        let request = WorkScope.serving(proxied.origin) {
            resource.request(Method(proxied.method), options)
        }
        answer?.request = request
        pendingRead.onLeave { [weak request] in request?.cancel() }
        request.onCompletion { info in
            pendingRead.use()
            proxied.pipe?.close()
            if let answer, answer.hasBegun { return answer.end(info.response) }
            Self.note(info.response, to: proxied.method, resource)
            // A read that carries headers of `forward` gets the API's own answer, failures included (50.6).
            if proxied.isRead, isStreamed, proxied.headers.isEmpty, case .failure(let error) = info.response {
                return completion(
                    .problem(self.problem(of: error, proxied.method, proxied.path, proxied.origin)))
            }
            completion(self.outcome(info.response, proxied, of: resource, headers))
        }
    }
}

/// The body of a success in transit to a client.
@EngineActor
final class ProxiedAnswer: BodyReceiver {
    private let pipe = BodyPipe()
    private let onBegin: (TransportResponse, BodyPipe) -> Void
    private(set) var hasBegun = false
    private weak var transfer: (any Transfer)?
    weak var request: Request?
    /// The number of announced bytes that haven't arrived; nil if the length is unknown.
    private var missingBytes: Int64?

    init(onBegin: @escaping @EngineActor (TransportResponse, BodyPipe) -> Void) { self.onBegin = onBegin }

    /// The client gets the bytes of the API with their coding, so that length, range and tag fit them.
    nonisolated var takesCodedBody: Bool { true }

    func begin(_ response: TransportResponse, of transfer: any Transfer) {
        guard !hasBegun else {
            // A decorator sends the request again after a success, but the client already has a part of the
            // first one.
            return pipe.fail(
                TransportError(.internal, message: "a body that was forwarded can't be replaced"))
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

    /// The client takes more or has gone. A transfer that has brought all bytes may end without its client.
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
        _ response: TransportResponse, to proxied: ProxiedRequest, _ forwarded: ForwardedHeaders,
        from url: String,
        _ pipe: BodyPipe
    ) {
        status = response.status
        self.pipe = pipe
        // The API's length is missing if a coding of the transfer was removed. Then its tag may belong to
        // other bytes.
        length = response.headers["Content-Length"].flatMap { Int64($0) }
        fields = []
        var names = ["Content-Type", "Content-Encoding", "Accept-Ranges", "Content-Range"]
        // The tag of changed content doesn't describe the body.
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
    /// The API selects the range that the client asks for.
    fileprivate mutating func addRange(of fields: RequestFields) {
        guard let range = fields.single("range") else { return }
        set("Range", range)
        if let condition = fields.single("if-range") { set("If-Range", ProxiedRequest.tagOfAPI(condition)) }
    }
}
