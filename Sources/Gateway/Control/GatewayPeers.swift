import RestEngine

/// The other workers of the host. Each answers for itself, and the worker that a client asks answers for all.
package protocol GatewayPeers: Sendable {
    /// The number of this worker.
    var number: Int { get }

    /// Asks all others at once, as an admin.
    ///
    /// - Parameters:
    ///   - target: The part of the target behind `/-/` for the worker with this number; nil: it isn't asked.
    ///   - completion: Called once, on the engine loop, when all have answered or their time is over.
    @EngineActor func ask(
        method: String, _ completion: @escaping @EngineActor (PeerAnswers) -> Void,
        target: (Int) -> String?)

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
