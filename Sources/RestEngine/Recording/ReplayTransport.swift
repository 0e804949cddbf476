import Platform

/// What a recording answers: each exchange once, in the order of the file, and of those that answer the same
/// request the last one again and again (rules 49.1–49.5).
@EngineActor
package final class RecordedAnswers {
    /// For messages.
    package let path: String
    package let exchanges: [RecordedExchange]
    private let match: Set<RecordingMatch>
    /// Places of the exchanges by what ``key(_:_:)`` makes of method and URL.
    private var places: [String: [Int]] = [:]
    private var isUsed: [Bool]
    /// Of those whose bodies were compared.
    private var bodies: [Int: [UInt8]] = [:]

    package init(
        _ exchanges: [RecordedExchange], path: String,
        match: Set<RecordingMatch> = Set(RecordingMatch.allCases)
    ) {
        self.path = path
        self.exchanges = exchanges
        self.match = match
        isUsed = Array(repeating: false, count: exchanges.count)
        for (place, exchange) in exchanges.enumerated() {
            places[key(exchange.method, exchange.url), default: []].append(place)
        }
    }

    /// Those that no request has got so far.
    package var unused: [RecordedExchange] {
        zip(exchanges, isUsed).filter { !$0.1 }.map(\.0)
    }

    private func key(_ method: String, _ url: String) -> String {
        (match.contains(.method) ? method : "") + " " + (match.contains(.url) ? url : "")
    }

    /// Nil when nothing in the recording answers it.
    package func answer(_ request: TransportRequest) -> TransportResult? {
        let mask = SecretMask.standard.hiding(request.headers, url: request.url)
        guard let url = ComparedRequest.url(request.url, mask) else { return nil }
        var same = places[key(request.method, url)] ?? []
        if match.contains(.body), !same.isEmpty {
            let body = ComparedRequest.body(request.body ?? [], request.headers["Content-Type"], mask)
            same = same.filter { hasBody(body, at: $0) }
        }
        guard let place = same.first(where: { !isUsed[$0] }) ?? same.last else { return nil }
        isUsed[place] = true
        return result(exchanges[place], limit: request.maxBodyBytes)
    }

    /// Whether an exchange has that body, or is not known to have another.
    private func hasBody(_ body: [UInt8], at place: Int) -> Bool {
        guard case .bytes(let bytes, let type) = exchanges[place].body else { return true }
        let recorded = bodies[place] ?? ComparedRequest.body(bytes, type)
        bodies[place] = recorded
        return recorded == body
    }

    private func result(_ exchange: RecordedExchange, limit: Int) -> TransportResult {
        switch exchange.answer {
        case .failure(let error): return .failure(error)
        case .unusable(let why):
            return .failure(
                TransportError(
                    .internal, message: "\(path): \(exchange.description) can't be replayed: \(why)"))
        case .response(let response):
            guard response.body.count <= limit else {
                return .failure(
                    TransportError(
                        .tooLarge, phase: .receive, message: "the body is larger than \(limit) bytes",
                        limit: limit))
            }
            return .success(response)
        }
    }

    // MARK: A miss

    /// What to say of a request that nothing answers (49.5).
    package func miss(_ request: TransportRequest) -> String {
        let mask = SecretMask.standard.hiding(request.headers, url: request.url)
        let asked = "\(request.method) \(mask.url(request.url))"
        guard let nearest = nearest(request.method, ComparedRequest.url(request.url, mask) ?? "") else {
            return "\(path) answers nothing: it has no exchanges; asked was \(asked)"
        }
        let text = "\(path) has no answer to \(asked)"
        if nearest.method == request.method, nearest.url == ComparedRequest.url(request.url, mask) {
            return text + " with this body; \(nearest.description) has another"
        }
        return text + "; the nearest is \(nearest.description)"
    }

    /// Of those with the same host and method if there are any, and of the first 500 of them, for each is
    /// compared letter by letter.
    private func nearest(_ method: String, _ url: String) -> RecordedExchange? {
        let host = URLText(url)?.host
        func isNear(_ exchange: RecordedExchange) -> Bool { URLText(exchange.url)?.host == host }
        let near = exchanges.lazy.filter { isNear($0) }.prefix(500)
        let wanted = Array(url.utf8.prefix(200))
        func distance(_ exchange: RecordedExchange) -> Int {
            (exchange.method == method ? 0 : 4)
                + NearestName.distance(Array(exchange.url.utf8.prefix(200)), wanted)
        }
        let candidates = near.isEmpty ? Array(exchanges.prefix(500)) : Array(near)
        return candidates.map { ($0, distance($0)) }.min { $0.1 < $1.1 }?.0
    }
}

/// Answers from a recording; nothing goes over the network (rule 49.1).
@EngineActor
package final class ReplayTransport: Transport {
    private let answers: RecordedAnswers
    private let scheduler: Scheduler
    private let onMiss: @EngineActor (String) -> Void

    /// - Parameter onMiss: Told what to say of a request without an answer, which fails.
    package init(
        _ answers: RecordedAnswers, scheduler: Scheduler,
        onMiss: @escaping @EngineActor (String) -> Void = { _ in }
    ) {
        self.answers = answers
        self.scheduler = scheduler
        self.onMiss = onMiss
    }

    package func send(
        _ sent: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        let transfer = ReplayTransfer(completion)
        let result = result(of: sent)
        scheduler.nextTurn { transfer.end(result) }
        return transfer
    }

    private func result(of sent: TransportRequest) -> TransportResult {
        let request: TransportRequest
        do throws(FileError) { request = try sent.withUploadRead() } catch {
            return .failure(TransportError(error))
        }
        if let result = answers.answer(request) { return result }
        let message = answers.miss(request)
        onMiss(message)
        return .failure(TransportError(.internal, message: message))
    }

    private final class ReplayTransfer: Transfer {
        private var completion: (@EngineActor (TransportResult) -> Void)?

        init(_ completion: @escaping @EngineActor (TransportResult) -> Void) { self.completion = completion }

        func cancel() { completion = nil }

        var progress: TransferProgress { TransferProgress() }

        func end(_ result: TransportResult) {
            let completion = completion
            self.completion = nil
            completion?(result)
        }
    }
}
