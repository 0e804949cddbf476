import NIOCore
import Platform
import Synchronization

/// Limits the connections and the bytes of bodies of all event loops of a gateway, and reports shortages.
final class ConnectionRoom: Sendable {
    /// The pause after a failed accept. The client stays in the queue, and the descriptors may become free.
    static let acceptPause = TimeAmount.milliseconds(50)
    private static let alarmSeconds = 60.0

    private let allowed: Atomic<Int>
    private let descriptors: Int
    private let open = Atomic(0)
    /// The limit for requests' bodies of all connections together.
    static let mostBodyBytes = 256 << 20
    private let bodyBytes = Atomic(0)
    private let reserve = DescriptorReserve()
    private let alarms = Mutex<[GatewayShortage: Double]>([:])
    private let clock: @Sendable () -> Double
    private let report: (@Sendable (GatewayShortage) -> Void)?

    init(_ configuration: GatewayConfiguration, descriptors: Int = DescriptorLimit.current) {
        self.descriptors = descriptors
        allowed = Atomic(configuration.limits.maxConnections)
        clock = configuration.uptime
        report = configuration.onShortage
    }

    /// The gateway's part of the process's descriptors. The others are for upstream servers, files and the
    /// host.
    static func share(of descriptors: Int) -> Int { max(8, (descriptors - 64) / 4 * 3) }

    var limit: Int { min(allowed.load(ordering: .relaxed), Self.share(of: descriptors)) }

    /// Changes the limit of connections. Existing connections stay.
    func allow(_ count: Int) { allowed.store(count, ordering: .relaxed) }

    var count: Int { open.load(ordering: .relaxed) }

    /// False if there are too many connections, or no descriptors for more.
    func enter() -> Bool {
        guard reserve.refill() else { return false }
        if open.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
        leave()
        return false
    }

    func leave() { open.wrappingSubtract(1, ordering: .relaxed) }

    /// False if other clients' bodies leave no memory for these bytes. On success the caller gives them back.
    func takeBody(_ bytes: Int) -> Bool {
        if bodyBytes.wrappingAdd(bytes, ordering: .relaxed).newValue <= Self.mostBodyBytes { return true }
        giveBackBody(bytes)
        return false
    }

    func giveBackBody(_ bytes: Int) { bodyBytes.wrappingSubtract(bytes, ordering: .relaxed) }

    /// Reports that a client found no free connection.
    func noteCrowd() {
        if count >= limit { note(.connections(limit: limit)) }
    }

    /// A client could not be accepted. True if accepting may be tried again, after a descriptor of the
    /// reserve was freed.
    func noteRefusal(_ error: IOError) -> Bool {
        switch error.errnoCode {
        case EMFILE: note(.descriptors(limit: DescriptorLimit.current))
        case ENFILE: note(.systemDescriptors)
        case ENOBUFS, ENOMEM: note(.systemMemory)
        default: return true
        }
        return reserve.release()
    }

    /// Reports each kind once a minute at most.
    private func note(_ shortage: GatewayShortage) {
        let now = clock()
        let isNews = alarms.withLock { alarms in
            if let last = alarms[shortage], abs(now - last) < Self.alarmSeconds { return false }
            alarms[shortage] = now
            return true
        }
        if isNews { report?(shortage) }
    }

    /// The shortages that were reported in the last two minutes.
    var recentShortages: [GatewayShortage] {
        let now = clock()
        return alarms.withLock { alarms in
            alarms.filter { abs(now - $0.value) < 2 * Self.alarmSeconds }.map(\.key)
        }
    }
}
