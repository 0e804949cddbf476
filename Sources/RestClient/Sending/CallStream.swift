public import RestEngine

/// A successful answer to a call whose body is read as it arrives, for one reader:
///
///     for try await line in try await call.stream().lines { print(line) }
///
/// The server waits while the reader doesn't read. When the body breaks off, the sequence throws the
/// `RequestError` of the request. Releasing the stream and its iterators cancels the request.
public struct CallStream: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = RequestError

    /// The status: 200 to 299, as all others are failures.
    public let status: Int
    /// As the server sent them.
    public let headers: Headers
    /// Where the answer came from, after redirects.
    public let url: String?
    private let reader: StreamReader

    init(_ head: StreamHead, _ reader: StreamReader) {
        (status, headers, url) = (head.status, head.headers, head.url)
        self.reader = reader
    }

    /// The bytes as they arrive, decompressed; no element is empty.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// Reads the bytes of a ``CallStream``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: StreamReader

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RequestError) -> [UInt8]? {
            try await reader.next(isolation: actor)
        }
    }
}

/// The head of an answer that is streamed.
struct StreamHead: Sendable {
    let status: Int
    let headers: Headers
    let url: String?
}

/// The reading side of a streamed answer. It ends the request when nobody reads any more.
final class StreamReader: Sendable {
    private let body: StreamedBody
    private let pipe: BodyPipe
    private let request: Request
    private let signals: AsyncStream<Void>

    @EngineActor
    init(_ body: StreamedBody, of request: Request) {
        self.body = body
        self.request = request
        pipe = body.pipe
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        pipe.onReadable { signal.yield() }
    }

    deinit {
        let (request, pipe) = (request, pipe)
        EngineLoop.shared.submit {
            pipe.close()
            request.cancel()
        }
    }

    /// The head, or the error of a request that ended before it.
    func head() async throws(RequestError) -> StreamHead {
        for await result in body.heads { return try result.get() }
        throw await cancelled()
    }

    func next(isolation: isolated (any Actor)?) async throws(RequestError) -> [UInt8]? {
        var iterator = signals.makeAsyncIterator()
        while true {
            switch pipe.next() {
            case .bytes(let bytes): return bytes
            case .end: return nil
            case .broken: throw await body.failure
            case .nothing: break
            }
            // It ends when the task is cancelled.
            guard await iterator.next(isolation: isolation) != nil else { throw await cancelled() }
        }
    }

    @EngineActor
    private func cancelled() -> RequestError {
        request.cancel()
        return request.info?.response.error ?? .cancelled
    }
}

/// Receives the body of a streamed answer, and passes it on to its reader.
@EngineActor
final class StreamedBody: BodyReceiver {
    nonisolated let pipe = BodyPipe()
    /// One head, or the error of a request that ended before it.
    nonisolated let heads: AsyncStream<Result<StreamHead, RequestError>>
    private let giveHead: AsyncStream<Result<StreamHead, RequestError>>.Continuation
    private weak var transfer: (any Transfer)?
    private var hasBegun = false
    /// Why the body broke off.
    private(set) var failure = RequestError.cancelled

    init() { (heads, giveHead) = AsyncStream.makeStream() }

    func follow(_ request: Request) {
        request.onCompletion { [weak self, weak request] info in
            self?.ended(info.response, request?.exchange?.url)
        }
    }

    func begin(_ response: TransportResponse, of transfer: any Transfer) {
        // A function of a block has sent the request again, though the reader has a part of the first answer.
        guard !hasBegun else {
            return pipe.fail(
                TransportError(.internal, phase: .receive, message: "a second answer followed the first"))
        }
        hasBegun = true
        self.transfer = transfer
        pipe.onRoom { [weak self] in
            EngineLoop.shared.submit { self?.transfer?.resume() }
        }
        giveHead.yield(.success(StreamHead(status: response.status, headers: response.headers, url: nil)))
    }

    func receive(_ bytes: [UInt8]) -> Bool { pipe.write(bytes) }

    private func ended(_ response: Response, _ url: String?) {
        switch response {
        case .success(let entity):
            if !hasBegun {
                giveHead.yield(
                    .success(StreamHead(status: entity.status ?? 200, headers: entity.headers, url: url)))
                pipe.write(entity.bodyBytes ?? Array(entity.text.utf8))
            }
            pipe.finish()
        case .failure(let error):
            failure = error
            giveHead.yield(.failure(error))
            pipe.fail(TransportError(.internal, phase: .receive, message: "\(error)"))
        }
        giveHead.finish()
    }
}

extension Call {
    /// Sends the call and gives its answer as soon as the head is there; the body is read as it arrives, and
    /// isn't parsed. Its time counts until the end of the body.
    ///
    /// - Throws: The `RequestError` of a request that fails before its body begins, for example one that is
    ///   answered with a status from 400.
    @concurrent
    public func stream(session: Session? = nil) async throws(RequestError) -> CallStream {
        let reader = await begin(session ?? self.session)
        return CallStream(try await reader.head(), reader)
    }

    @EngineActor
    private func begin(_ session: Session) -> StreamReader {
        let body = StreamedBody()
        let request = start(session, to: .receiver(body))
        body.follow(request)
        return StreamReader(body, of: request)
    }
}

extension RequestError {
    fileprivate static var cancelled: RequestError {
        RequestError(cause: .requestCancelled, timestamp: InternetTime.now)
    }
}
