import CurlTransport
import Gateway
import RestEngine

/// The events of one other worker, from its `/-/events`. When the worker ends, its successor is asked.
@EngineActor
final class PeerEventStream: BodyReceiver {
    /// Seconds before the next connection.
    private static let pause = 0.5
    /// Bytes of one event: of a log entry, or of a request.
    private static let mostBytes = 1 << 20

    private let worker: Int
    private let transport: CurlTransport
    private let scheduler: Scheduler
    private let take: @EngineActor (PeerEvent) -> Void
    private var parser = EventStreamParser(limit: mostBytes)
    private var transfer: (any Transfer)?
    private var timer: EngineTimer?
    private var isStopped = false

    init(
        of worker: Int, _ transport: CurlTransport, _ scheduler: Scheduler,
        _ take: @escaping @EngineActor (PeerEvent) -> Void
    ) {
        (self.worker, self.transport, self.scheduler, self.take) = (worker, transport, scheduler, take)
        connect()
    }

    private func connect() {
        guard !isStopped else { return }
        parser = EventStreamParser(limit: Self.mostBytes)
        var request = TransportRequest(url: "http://localhost/-/events")
        // The stream has no end, and nothing comes while the worker has nothing to do.
        request.timeouts.idleSeconds = 0
        request.timeouts.totalSeconds = 0
        request.receiver = self
        transfer = transport.send(request) { [weak self] _ in
            guard let self, !isStopped else { return }
            timer = scheduler.after(Self.pause) { [weak self] in self?.connect() }
        }
    }

    func begin(_ response: TransportResponse, of transfer: any Transfer) {}

    func receive(_ bytes: [UInt8]) -> Bool {
        do throws(EventStreamParser.Overflow) {
            for event in try parser.take(bytes) where !event.data.isEmpty {
                take(PeerEvent(worker: worker, kind: event.type, data: event.data))
            }
        } catch {
            // An event that is too long is left out, with the rest of this connection.
            transfer?.cancel()
            connect()
        }
        return true
    }

    func stop() {
        isStopped = true
        timer?.cancel()
        transfer?.cancel()
    }
}
