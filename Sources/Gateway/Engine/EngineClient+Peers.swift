import RestEngine

/// Answers for all workers of the host.
extension EngineClient {
    /// A question for each worker: the query for this one, and the targets for the others.
    private struct PeerQuestion {
        var own: String?
        var target: (Int) -> String?
    }

    /// Adds the answers of the other workers to a worker's own answer. Routes that all workers answer alike
    /// stay as they are.
    @EngineActor
    func answerForAll(
        _ route: HostRoute, query: String?, _ accessPolicy: AccessPolicy, withDetails: Bool,
        _ completion: @escaping @EngineActor (Reply) -> Void
    ) {
        do throws(Problem) {
            if route == .exchanges, try askForExchanges(query, completion) { return }
        } catch { return completion(error.reply) }
        guard let peers, let question = Self.question(route, query, accessPolicy, of: peers.number) else {
            return answer(route, query: query, accessPolicy, withDetails: withDetails, completion)
        }
        answer(route, query: question.own, accessPolicy, withDetails: withDetails) { own in
            let finish: @EngineActor (PeerAnswers) -> Void = { others in
                let answers = WorkerAnswers(own: own, of: peers.number, others)
                completion(answers.merged(route, query: query, accessPolicy, withDetails: withDetails))
            }
            // A mistake in the question is one for all.
            guard own.status == 200 else { return completion(own) }
            peers.ask(method: route.methods[0], finish, target: question.target)
        }
    }

    /// Nil if one answer is enough.
    private static func question(
        _ route: HostRoute, _ query: String?, _ accessPolicy: AccessPolicy, of worker: Int
    ) -> PeerQuestion? {
        switch route {
        case .health, .status, .metrics, .invalidate, .wipe, .history:
            let target = query.map { "\(route.rawValue)?\($0)" } ?? route.rawValue
            return PeerQuestion(own: query) { _ in target }
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
            return PeerQuestion(own: all) { _ in "resources?\(all)" }
        case .clients:
            guard let query = try? RouteQuery(query, known: ["after"]) else { return nil }
            let numbers = WorkerNumbers(query["after"] ?? "")
            return PeerQuestion(own: "after=\(numbers[worker])") { "clients?after=\(numbers[$0])" }
        default: return nil
        }
    }

    /// The messages of a request, from the worker that has sent it.
    ///
    /// - Returns: False if it is this one.
    @EngineActor
    private func askForExchanges(
        _ query: String?, _ completion: @escaping @EngineActor (Reply) -> Void
    ) throws(Problem) -> Bool {
        guard let peers else { return false }
        let query = try RouteQuery(query, known: ["request", "worker"])
        let worker = try query.count("worker", default: peers.number, most: 1 << 16)
        guard worker != peers.number else { return false }
        let request = try query.needed("request")
        let ask = FormEncoding.encode([(name: "request", value: request)])
        peers.ask(method: "GET") { answers in
            guard let answer = answers.answers.first else {
                let problem = Problem(503, "busy", "worker \(worker) doesn't answer, or there is none")
                return completion(problem.reply)
            }
            guard let tree = answer.tree else { return completion(Problem.noExchange.reply) }
            completion(Reply(200, json: tree))
        } target: {
            $0 == worker ? "exchanges?\(ask)" : nil
        }
        return true
    }
}

/// One number for each worker, as the query and the answer of `/-/clients` have them: `7,0,12`. A missing one
/// is 0.
struct WorkerNumbers {
    private let texts: [Substring]

    init(_ text: String) { texts = text.split(separator: ",", omittingEmptySubsequences: false) }

    subscript(worker: Int) -> String {
        guard worker >= 1, worker <= texts.count, !texts[worker - 1].isEmpty else { return "0" }
        return PercentEncoding.form(String(texts[worker - 1]))
    }
}
