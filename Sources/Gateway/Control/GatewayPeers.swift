import RestEngine

/// The other workers of the host. Each answers for itself, and the worker that a client asks answers for all.
package protocol GatewayPeers: Sendable {
    /// The number of this worker.
    var number: Int { get }

    /// Asks all others at once, as an admin.
    ///
    /// - Parameters:
    ///   - target: The part of the target behind `/-/`.
    ///   - completion: Called once, on the engine loop, when all have answered or their time is over.
    @EngineActor func ask(
        _ target: String, method: String, _ completion: @escaping @EngineActor (PeerAnswers) -> Void)

    /// Follows the events of all others, also of those that start later, until the result is called.
    @EngineActor func follow(
        _ take: @escaping @EngineActor (PeerEvent) -> Void
    ) -> @EngineActor () -> Void
}

/// An event of another worker's `/-/events`.
package struct PeerEvent: Sendable {
    package var worker: Int
    package var kind: String
    /// An object.
    package var data: [UInt8]

    package init(worker: Int, kind: String, data: [UInt8]) {
        (self.worker, self.kind, self.data) = (worker, kind, data)
    }
}

/// The answers of other workers to one question.
package struct PeerAnswers: Sendable {
    package struct Answer: Sendable {
        package var worker: Int
        package var status: Int
        package var body: [UInt8]

        package init(worker: Int, status: Int, body: [UInt8]) {
            (self.worker, self.status, self.body) = (worker, status, body)
        }

        /// The body of a successful answer as JSON; nil for another answer.
        var tree: Tree? { status == 200 ? try? Tree(json: body) : nil }
    }

    /// In the order of their numbers.
    package var answers: [Answer]
    /// Workers that did not answer in time, or are about to start.
    package var silent: [Int]

    package init(answers: [Answer], silent: [Int]) { (self.answers, self.silent) = (answers, silent) }
}

extension EngineClient {
    /// Adds the answers of the other workers to a worker's own answer. Routes that all workers answer alike
    /// stay as they are.
    @EngineActor
    func answerForAll(
        _ route: HostRoute, query: String?, _ accessPolicy: AccessPolicy, withDetails: Bool,
        _ completion: @escaping @EngineActor (Reply) -> Void
    ) {
        guard let peers, let target = Self.peerTarget(route, query, accessPolicy) else {
            return answer(route, query: query, accessPolicy, withDetails: withDetails, completion)
        }
        let ownQuery = route == .resources ? target.query : query
        answer(route, query: ownQuery, accessPolicy, withDetails: withDetails) { own in
            // A mistake in the question is one for all.
            guard own.status == 200 else { return completion(own) }
            peers.ask(target.text, method: route.methods[0]) { others in
                let answers = WorkerAnswers(own: own, of: peers.number, others)
                completion(answers.merged(route, query: query, accessPolicy, withDetails: withDetails))
            }
        }
    }

    /// The question for other workers; nil if one answer is enough.
    private static func peerTarget(
        _ route: HostRoute, _ query: String?, _ accessPolicy: AccessPolicy
    ) -> (text: String, query: String?)? {
        switch route {
        case .health, .status, .metrics, .invalidate, .wipe:
            return (query.map { "\(route.rawValue)?\($0)" } ?? route.rawValue, query)
        case .resources:
            // Others answer with what an admin sees.
            guard accessPolicy.showsEverything,
                let given = try? RouteQuery(query, known: ["service", "limit", "offset"]),
                let limit = try? given.count("limit", default: 100, most: 10_000),
                let offset = try? given.count("offset", default: 0, least: 0, most: 10_000_000)
            else { return nil }
            // The first rows of all workers may be those of one.
            var pairs = [(name: "limit", value: "\(min(limit + offset, 10_000))")]
            if let service = given["service"] { pairs.append((name: "service", value: service)) }
            let all = FormEncoding.encode(pairs)
            return ("resources?\(all)", all)
        default: return nil
        }
    }
}
