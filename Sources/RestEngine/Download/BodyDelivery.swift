/// Where the body of a success goes, over all messages of one request.
@EngineActor
final class BodyDelivery: BodyReceiver {
    /// Nil for a receiver of somebody's own.
    let file: FileDownload?
    private let receiver: any BodyReceiver
    /// Some of it has been given away.
    private(set) var hasBegun = false
    /// Where its message went.
    private(set) var url = ""
    /// Of a stream, which begins long before it ends.
    var onBegin: (@EngineActor (TransportResponse) -> Void)?
    private let engine: Engine
    /// For those who write down what comes.
    private var copy: DeliveredBody?

    init(_ destination: BodyDestination, _ engine: Engine) {
        self.engine = engine
        switch destination {
        case .file(let path):
            let download = FileDownload(path: path, engine: engine)
            (file, receiver) = (download, download)
        case .receiver(let own), .events(let own): (file, receiver) = (nil, own)
        }
    }

    func begin(_ response: TransportResponse, of transfer: any Transfer) {
        hasBegun = true
        if let limit = engine.listeners?.copiedBytes, limit > 0 {
            _ = takeCopy()
            copy = DeliveredBody(response, limit: limit)
        }
        onBegin?(response)
        receiver.begin(response, of: transfer)
    }

    func receive(_ bytes: [UInt8]) -> Bool {
        copy?.add(bytes, &engine.copiedBytes)
        return receiver.receive(bytes)
    }

    /// The bytes of this message's body that came; gives them once.
    func takeCopy() -> DeliveredBody? {
        defer { copy = nil }
        if let copy { engine.copiedBytes -= copy.bytes.count }
        return copy
    }

    /// A file can begin anew; who was given something can't be told to forget it.
    var canBeginAgain: Bool { file != nil || !hasBegun }

    /// A file is kept as it is on the wire, so that what a cut has left of it can be gone on with.
    func prepare(_ message: inout TransportRequest) {
        message.receiver = self
        url = message.url
        if file != nil, !message.headers.contains("Accept-Encoding") {
            message.headers.set("Accept-Encoding", "identity")
        }
        file?.prepare(message.headers)
    }

    /// The message that asks for the rest of a file, after its connection was cut (RFC 9110 14.2, 13.1.5).
    func rest(after hop: RequestHop, _ error: TransportError) -> RequestHop? {
        guard error.phase == .receive, error.code == .connectionFailed || error.code == .timeout,
            hop.step.method == "GET", let fields = file?.resumption()
        else { return nil }
        return hop.goingOn(after: .failure(error)).changing { headers in
            for field in fields { headers.set(field.name, field.value) }
        }
    }

    /// The message that asks for all of a file, of which the server has no such rest (RFC 9110 15.5.17), or
    /// sends another.
    func whole(after hop: RequestHop, _ result: TransportResult) -> RequestHop? {
        let hasNoRest: Bool =
            switch result {
            case .success(let response): response.status == 416
            case .failure(let error): error.code == .decodingFailed
            }
        guard let file, hasNoRest, file.bytes > 0, hop.step.headers.contains("If-Range") else { return nil }
        file.startOver()
        return hop.goingOn(after: result).changing { headers in
            for name in ["Range", "If-Range"] { headers.remove(name) }
        }
    }
}

extension BodyDelivery {
    /// The message for what is missing of a file, or for all of it once more.
    func continuation(after hop: RequestHop, _ error: TransportError) -> RequestHop? {
        rest(after: hop, error) ?? whole(after: hop, .failure(error))
    }
}

extension Request {
    /// Gives the body of a success to a receiver as it comes; then the entity has no content, and no pipeline
    /// runs for it. A request that failed before an answer came has none, and repeats of it give theirs.
    ///
    /// - Returns: False when an answer has come already, or when nothing comes over a network; then nothing
    ///   changes.
    public func giveBody(to receiver: any BodyReceiver) -> Bool {
        guard let info else { return work.giveBody(to: receiver) }
        guard case .failure = info.response, exchange == nil else { return false }
        _ = work.giveBody(to: receiver)
        return true
    }
}

extension NetworkWork {
    /// Sets where the body of a success goes, for repeats too.
    func deliver(to destination: BodyDestination) -> BodyDelivery {
        let made = BodyDelivery(destination, resource.engine)
        plan.destination = destination
        delivery = made
        if case .events = destination {
            // A place in a limit is for who waits for an answer; and who answers has not failed.
            made.onBegin = { [weak self, unowned made] response in
                guard let self else { return }
                permits?.ended(.success(response))
                permits?.leave()
                let engine = resource.engine
                if let cookies = resource.core.cookies, let url = URLText(made.url) {
                    cookies.take(response.headers, from: url, at: engine.scheduler.now, engine.log)
                }
            }
        }
        return made
    }

    /// Sets where the body of a success goes; too late when some of it has gone elsewhere, or an answer is on
    /// its way through the pipeline.
    func giveBody(to receiver: any BodyReceiver) -> Bool {
        guard delivery?.hasBegun != true else { return false }
        let before = (plan.destination, delivery)
        let made = deliver(to: .receiver(receiver))
        guard transfer?.giveBody(to: made) == false else { return true }
        // The answer goes where it would have gone.
        (plan.destination, delivery) = before
        return false
    }

    /// The end of a success whose body went elsewhere.
    func finish(
        _ delivery: BodyDelivery, _ response: TransportResponse, _ step: Redirect.RequestStep,
        _ request: Request
    ) {
        guard let file = delivery.file else {
            let entity = Entity(
                response: response, url: step.url, timestamp: resource.engine.scheduler.now)
            return end(.success(entity), request)
        }
        file.finish { [self] error in
            if let error { return end(.failure(failure(.unwritableFile(error), step)), request) }
            let head = file.head ?? response
            var entity = Entity(response: head, url: step.url, timestamp: resource.engine.scheduler.now)
            entity.content = .value(file.content)
            end(.success(entity), request)
        }
    }
}
