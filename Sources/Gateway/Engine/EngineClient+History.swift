import Dispatch
import RestEngine

/// Answers of the routes that show the host's latest requests (rules 76).
extension EngineClient {
    /// - Returns: False for another route.
    @EngineActor
    func answerFromHistory(
        _ route: HostRoute, _ query: String?, _ completion: @escaping @EngineActor (Reply) -> Void
    ) throws(Problem) -> Bool {
        switch route {
        case .history:
            _ = try RouteQuery(query, known: [])
            let history = try neededHistory
            let (events, since) = (history.requests.events, history.since)
            Self.write(completion) {
                ["since": Tree(since), "events": Tree(events.map(\.followed))]
            }
        case .clients:
            let query = try RouteQuery(query, known: ["after"])
            let after = try query.count("after", default: 0, least: 0, most: 1 << 53)
            let (entries, last) = try neededHistory.clients.entries(after: after)
            Self.write(completion) { ["last": Tree(last), "requests": Tree(entries.map(\.tree))] }
        case .exchanges:
            let query = try RouteQuery(query, known: ["request", "worker"])
            _ = try query.needed("request")
            let number = try query.count("request", default: 0, most: 1 << 53)
            let exchanges = try neededHistory.requests.exchanges(of: UInt64(number)).map { exchange in
                (exchange, exchange.service.flatMap(directory.service(named:))?.baseURL)
            }
            guard !exchanges.isEmpty else {
                throw Problem.noExchange
            }
            Self.write(completion) { ["exchanges": Tree(exchanges.map { $0.tree($1) })] }
        default: return false
        }
        return true
    }

    @EngineActor
    private var neededHistory: HostHistory {
        get throws(Problem) {
            guard let history = try neededControl.history else {
                throw Problem(501, "not_implemented", "the program behind this gateway keeps no requests")
            }
            history.look(directory.engine)
            return history
        }
    }

    /// Makes the texts on another thread, because the mask looks at each byte.
    @EngineActor
    private static func write(
        _ completion: @escaping @EngineActor (Reply) -> Void, _ tree: @escaping @Sendable () -> Tree
    ) {
        DispatchQueue.global().async {
            let reply = Reply(200, json: tree())
            EngineLoop.shared.submit { completion(reply) }
        }
    }
}

extension Problem {
    static var noExchange: Problem {
        Problem(404, "no_exchange", "no messages of this request are kept, or not any more")
    }
}
