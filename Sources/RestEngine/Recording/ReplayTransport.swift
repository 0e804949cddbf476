import Platform

/// The answers of a recording: each exchange is used once, in the order of the file; of those that match the
/// same request, the last one is used repeatedly (rules 49.1–49.5).
@EngineActor
package final class RecordedAnswers {
    /// For messages.
    package let path: String
    package let exchanges: [RecordedExchange]
    private let match: Set<RecordingMatch>
    /// The indices of the exchanges, by the ``key(_:_:)`` of method and URL.
    private var places: [String: [Int]] = [:]
    private var isUsed: [Bool]
    /// The bodies of exchanges that were compared.
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

    /// The exchanges that no request has matched so far.
    package var unused: [RecordedExchange] {
        zip(exchanges, isUsed).filter { !$0.1 }.map(\.0)
    }

    private func key(_ method: String, _ url: String) -> String {
        (match.contains(.method) ? method : "") + " " + (match.contains(.url) ? url : "")
    }

    /// Nil when no exchange in the recording matches.
    package func reply(to request: TransportRequest) -> StubReply? {
        let mask = SecretMask.standard.hiding(request.headers, url: request.url)
        guard let url = ComparedRequest.url(request.url, mask) else { return nil }
        var same = places[key(request.method, url)] ?? []
        if match.contains(.body), !same.isEmpty {
            let type = request.headers["Content-Type"]
            let body = ComparedRequest.body(request.body ?? [], type, mask)
            same = same.filter { hasBody(body, request.body ?? [], type, at: $0) }
        }
        same = withNearestCredentials(withSameForm(withContent(same, for: request), to: request), to: request)
        guard let place = same.first(where: { !isUsed[$0] }) ?? same.last else { return nil }
        isUsed[place] = true
        return reply(exchanges[place])
    }

    /// The exchanges without those that confirm a copy, if the request names none (RFC 9110 15.4.5), unless
    /// there are no others.
    private func withContent(_ same: [Int], for request: TransportRequest) -> [Int] {
        let (headers, names) = (request.headers, ["If-None-Match", "If-Modified-Since"])
        guard !names.contains(where: { headers.contains($0) }) else { return same }
        let whole = same.filter { !exchanges[$0].isNotModified }
        return whole.isEmpty ? same : whole
    }

    /// The exchanges for the same range, otherwise those without a range; of these, the ones with the same
    /// `Accept` if there are any (49.2). A whole answer also matches a request for a range, because a server
    /// may ignore `Range` (RFC 9110 14.2).
    private func withSameForm(_ same: [Int], to request: TransportRequest) -> [Int] {
        let range = request.headers["Range"]
        var alike = same.filter { exchanges[$0].range == range }
        if alike.isEmpty { alike = same.filter { exchanges[$0].range == nil } }
        let accept = request.headers["Accept"] ?? "*/*"
        let accepted = alike.filter { (exchanges[$0].accept ?? "*/*") == accept }
        return accepted.isEmpty ? alike : accepted
    }

    /// The exchanges with the same credentials, or all if there are none: credentials may differ during a
    /// replay (49.4).
    private func withNearestCredentials(_ same: [Int], to request: TransportRequest) -> [Int] {
        guard same.count > 1, same.contains(where: { !exchanges[$0].credentials.isEmpty }) else {
            return same
        }
        let own = exchanges[same[0]].digests.all(
            request.headers, url: request.url, body: request.body ?? [], request.headers["Content-Type"])
        let alike = same.map { exchanges[$0].credentials.intersection(own).count }
        let most = alike.max() ?? 0
        return zip(same, alike).filter { $0.1 == most }.map(\.0)
    }

    /// Whether an exchange has that body, or an unknown one.
    private func hasBody(_ body: [UInt8], _ sent: [UInt8], _ sentType: String?, at place: Int) -> Bool {
        switch exchanges[place].body {
        case .unknown: return true
        case .params(let params): return RecordedParam.match(params, sent, sentType)
        case .digest(let digest): return exchanges[place].digests.whole(sent) == digest
        case .bytes(let bytes, let type):
            let recorded = bodies[place] ?? ComparedRequest.body(bytes, type)
            bodies[place] = recorded
            return recorded == body
        }
    }

    private func reply(_ exchange: RecordedExchange) -> StubReply {
        switch exchange.answer {
        case .failure(let error): return .error(error)
        case .unusable(let why):
            return .error(
                TransportError(
                    .internal, message: "\(path): \(exchange.description) can't be replayed: \(why)"))
        case .response(let response): return StubReply(.success(response))
        case .interrupted(let response, let ending):
            var reply = StubReply(.success(response))
            reply.ending = ending
            return reply
        }
    }

    // MARK: A miss

    /// The message about a request without a matching exchange (49.5).
    package func miss(_ request: TransportRequest) -> String {
        let mask = SecretMask.standard.hiding(request.headers, url: request.url)
        let asked = "\(request.method) \(mask.url(request.url))"
        guard let nearest = nearest(request.method, ComparedRequest.url(request.url, mask) ?? "") else {
            return "\(path) has no answer to \(asked): it has no exchanges"
        }
        let text = "\(path) has no answer to \(asked)"
        if nearest.method == request.method, nearest.url == ComparedRequest.url(request.url, mask) {
            let isOfRange = nearest.range == nil || nearest.range == request.headers["Range"]
            return text + " with this \(isOfRange ? "body" : "Range"); \(nearest.description) has another"
        }
        return text + "; the nearest is \(nearest.description)"
    }

    /// The exchange with the most similar URL, among those with the same host and method if there are any.
    /// Only the first 500 are compared, because the comparison is slow.
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

/// A transport that answers from a recording without using the network (rule 49.1).
@EngineActor
package final class ReplayTransport: Transport {
    private let answers: RecordedAnswers
    private let scheduler: Scheduler
    private let onMiss: @EngineActor (String) -> Void

    /// - Parameter onMiss: Called with a message about a request without an answer, which fails.
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
        let transfer = StubTransfer(scheduler: scheduler) { _, result in
            if let result { completion(result) }
        }
        transfer.accept(sent, keeping: TrafficRecorder.replayedBytes) { [self] request in
            transfer.start(nil, reply(to: request))
        }
        return transfer
    }

    private func reply(to request: TransportRequest) -> StubReply {
        if let reply = answers.reply(to: request) { return reply }
        let message = answers.miss(request)
        onMiss(message)
        return .error(TransportError(.internal, message: message))
    }
}
