import CurlTransport
import Gateway
import Platform
import RestEngine

/// Asks the other workers of a host at their admin sockets.
@EngineActor
final class WorkerPeers: GatewayPeers {
    /// Seconds that a worker has for its answer. A client of `/-/health` has a second or two.
    private static let patience = 0.8

    nonisolated let number: Int
    private let count: Int
    private let path: @Sendable (Int) -> String
    private let scheduler: Scheduler
    private var transports: [Int: CurlTransport] = [:]

    /// - Parameter path: The admin socket of the worker with a number.
    init(_ worker: WorkerNumber, _ scheduler: Scheduler, path: @escaping @Sendable (Int) -> String) {
        (number, count, self.path) = (worker.number, worker.count, path)
        self.scheduler = scheduler
    }

    /// The admin sockets of workers: beside the one of the host.
    nonisolated static func path(
        _ admin: AdminListener.Address, _ folder: AdminFolder, _ supervisor: pid_t
    ) -> @Sendable (Int) -> String {
        switch admin {
        case .path(let path): { "\(path).worker-\($0)" }
        case .standard, .none: { folder.socket(of: supervisor, worker: $0) }
        }
    }

    func ask(
        method: String, _ completion: @escaping @EngineActor (PeerAnswers) -> Void,
        target: (Int) -> String?
    ) {
        let targets = (1...count).compactMap { other in
            other == number ? nil : target(other).map { (worker: other, target: $0) }
        }
        let round = Round(targets.map(\.worker), completion)
        for (other, target) in targets {
            var request = TransportRequest(method: method, url: "http://localhost/-/" + target)
            request.timeouts.connectSeconds = Self.patience
            request.timeouts.firstByteSeconds = Self.patience
            request.timeouts.totalSeconds = method == "GET" ? Self.patience : 15
            if method != "GET" { request.timeouts.firstByteSeconds = 15 }
            _ = transport(to: other).send(request) { result in round.note(other, result) }
        }
    }

    func follow(
        _ take: @escaping @EngineActor (PeerEvent) -> Void
    ) -> @EngineActor () -> Void {
        let streams = (1...count).filter { $0 != number }.map {
            PeerEventStream(of: $0, transport(to: $0), scheduler, take)
        }
        return { for stream in streams { stream.stop() } }
    }

    private func transport(to worker: Int) -> CurlTransport {
        if let known = transports[worker] { return known }
        var options = TransportOptions()
        options.unixSocket = path(worker)
        options.proxy = ""
        let transport = CurlTransport(options: options)
        transports[worker] = transport
        return transport
    }

    /// The answers to one question.
    private final class Round {
        private var left: Set<Int>
        private var answers: [PeerAnswers.Answer] = []
        private var silent: [Int] = []
        private let completion: @EngineActor (PeerAnswers) -> Void

        @EngineActor
        init(_ workers: [Int], _ completion: @escaping @EngineActor (PeerAnswers) -> Void) {
            left = Set(workers)
            self.completion = completion
            if left.isEmpty { completion(PeerAnswers(answers: [], silent: [])) }
        }

        @EngineActor
        func note(_ worker: Int, _ result: TransportResult) {
            switch result {
            case .success(let response):
                answers.append(.init(worker: worker, status: response.status, body: response.body))
            case .failure: silent.append(worker)
            }
            left.remove(worker)
            guard left.isEmpty else { return }
            completion(
                PeerAnswers(answers: answers.sorted { $0.worker < $1.worker }, silent: silent.sorted()))
        }
    }
}

extension AdminFolder {
    /// The socket of one worker. Commands find the host at the socket that all workers share, so they leave
    /// out names of this kind.
    func socket(of process: pid_t, worker: Int) -> String { "\(path)/\(process).worker-\(worker).sock" }
}
