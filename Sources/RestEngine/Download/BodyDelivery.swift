/// Delivers the body of a success to a file or a receiver, over all messages of one request.
@EngineActor
final class BodyDelivery: BodyReceiver {
    /// Nil for a receiver of the caller.
    let file: FileDownload?
    private let receiver: any BodyReceiver
    nonisolated let takesCodedBody: Bool
    /// Whether a part of the body has been delivered.
    private(set) var hasBegun = false
    /// The URL of the last message.
    private(set) var url = ""
    /// Called when a stream begins, long before it ends.
    var onBegin: (@EngineActor (TransportResponse) -> Void)?
    private let engine: Engine
    /// A copy of the body for recordings.
    private var copy: DeliveredBody?

    init(_ destination: BodyDestination, _ engine: Engine) {
        self.engine = engine
        switch destination {
        case .file(let path):
            let download = FileDownload(path: path, engine: engine)
            (file, receiver) = (download, download)
        case .receiver(let own), .events(let own): (file, receiver) = (nil, own)
        }
        takesCodedBody = receiver.takesCodedBody
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

    /// Returns the received bytes of this message's body, once.
    func takeCopy() -> DeliveredBody? {
        defer { copy = nil }
        if let copy { engine.copiedBytes -= copy.bytes.count }
        return copy
    }

    /// A file can be written again from the start; a receiver can't undo the bytes that it got.
    var canBeginAgain: Bool { file != nil || !hasBegun }

    /// A file is stored as it is on the wire, so that a cut download can be continued.
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

    /// The message that asks for the whole file, if the server does not have the requested rest (RFC 9110
    /// 15.5.17) or sends a wrong one.
    func whole(after hop: RequestHop, _ result: TransportResult) -> RequestHop? {
        let hasNoRest: Bool =
            switch result {
            case .success(let response): response.status == 416
            case .failure(let error): error.code == .decodingFailed
            }
        guard let file, hasNoRest, file.asksForRest else { return nil }
        file.startOver()
        return hop.goingOn(after: result).changing { headers in
            for name in ["Range", "If-Range"] { headers.remove(name) }
        }
    }
}

extension BodyDelivery {
    /// The message for the missing part of a file, or for the whole file again.
    func continuation(after hop: RequestHop, _ error: TransportError) -> RequestHop? {
        rest(after: hop, error) ?? whole(after: hop, .failure(error))
    }
}

extension Request {
    /// Delivers the body of a success to a receiver as it arrives. The entity then has no content, and no
    /// pipeline runs for it. If the request has failed before an answer arrived, there is no body; its
    /// repeats deliver theirs.
    ///
    /// - Returns: False when an answer has arrived already, or when the request does not use the network;
    ///   then nothing changes.
    public func giveBody(to receiver: any BodyReceiver) -> Bool {
        guard let info else { return work.giveBody(to: receiver) }
        guard case .failure = info.response, exchange == nil else { return false }
        _ = work.giveBody(to: receiver)
        return true
    }
}

extension NetworkWork {
    /// Sets the destination for the body of a success, also for repeats.
    func deliver(to destination: BodyDestination) -> BodyDelivery {
        let made = BodyDelivery(destination, resource.engine)
        plan.destination = destination
        delivery = made
        if case .events = destination {
            // A slot of a limit is for a request that waits for its answer; and a server that answers has not
            // failed.
            made.onBegin = { [weak self, unowned made] response in
                guard let self else { return }
                permits?.ended(.success(response))
                permits?.leave()
                let engine = resource.engine
                if let cookies = resource.cookies, let url = URLText(made.url) {
                    cookies.take(response.headers, from: url, at: engine.scheduler.now, engine.log)
                }
            }
        }
        return made
    }

    /// Sets the destination for the body of a success. It is too late when a part has been delivered
    /// elsewhere, or when an answer is already in the pipeline.
    func giveBody(to receiver: any BodyReceiver) -> Bool {
        guard delivery?.hasBegun != true else { return false }
        let before = (plan.destination, delivery)
        let made = deliver(to: .receiver(receiver))
        guard transfer?.giveBody(to: made) == false else { return true }
        // The answer keeps its earlier destination.
        (plan.destination, delivery) = before
        return false
    }

    /// Ends the request after a success whose body was delivered elsewhere.
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
