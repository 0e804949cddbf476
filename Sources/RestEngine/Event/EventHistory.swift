import DequeModule

/// The latest requests of an engine over the network, for people who look later (rules 76). It keeps values
/// as they come: their texts are made, and secrets masked, when somebody looks.
@EngineActor
package final class EventHistory {
    /// See docs/reference/limits.md, L360.
    package nonisolated static let mostEvents = 2000
    /// See docs/reference/limits.md, L361.
    package nonisolated static let mostBytes = 8 << 20

    private struct Kept {
        /// Without bodies.
        let event: EngineEvent
        let exchange: KeptExchange?

        var bytes: Int { event.heldBytes + (exchange?.heldBytes ?? 0) }
    }

    private var kept: Deque<Kept> = []
    private var bytes = 0
    private var subscription: EventSubscription?
    private let mostEvents: Int
    private let mostBytes: Int

    package nonisolated init(
        mostEvents: Int = EventHistory.mostEvents, mostBytes: Int = EventHistory.mostBytes
    ) {
        (self.mostEvents, self.mostBytes) = (mostEvents, mostBytes)
    }

    package var isRecording: Bool { subscription?.isActive ?? false }

    /// Records the requests of this engine from now on.
    package func begin(_ engine: Engine) {
        guard !isRecording else { return }
        subscription = engine.onEvent(
            [.request, .attempt, .response, .breaker, .reload], copying: KeptBody.keptBytes
        ) { [weak self] event in self?.add(event) }
    }

    /// Stops, and forgets everything.
    package func end() {
        subscription?.cancel()
        subscription = nil
        kept = []
        bytes = 0
    }

    private func add(_ event: EngineEvent) {
        let new = Kept(event: event.withoutBodies, exchange: KeptExchange(event))
        kept.append(new)
        bytes += new.bytes
        while kept.count > mostEvents || bytes > mostBytes && kept.count > 1 {
            bytes -= kept.removeFirst().bytes
        }
    }

    /// The events, the oldest first.
    package var events: [EngineEvent] { kept.map(\.event) }

    /// The messages of a request, in the order of their ends.
    package func exchanges(of request: UInt64) -> [KeptExchange] {
        kept.compactMap { $0.event.request == request ? $0.exchange : nil }
    }
}
