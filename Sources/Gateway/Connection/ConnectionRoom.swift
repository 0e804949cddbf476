import NIOCore
import Platform
import Synchronization

/// How many connections all event loops of a gateway may have, and what is left when that is too many.
final class ConnectionRoom: Sendable {
    /// A client that was refused tries again; the descriptors may be somebody else's.
    static let acceptPause = TimeAmount.milliseconds(50)
    private static let alarmSeconds = 60.0

    private let allowed: Atomic<Int>
    private let descriptors: Int
    private let open = Atomic(0)
    /// Of requests' bodies, all connections together.
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

    /// Of the process's descriptors: the rest is for servers that are asked, files and the host itself.
    static func share(of descriptors: Int) -> Int { max(8, (descriptors - 64) / 4 * 3) }

    var limit: Int { min(allowed.load(ordering: .relaxed), Self.share(of: descriptors)) }

    /// Changes how many there may be. Those that are there stay.
    func allow(_ count: Int) { allowed.store(count, ordering: .relaxed) }

    var count: Int { open.load(ordering: .relaxed) }

    /// False when there are too many, or no descriptors for more.
    func enter() -> Bool {
        guard reserve.refill() else { return false }
        if open.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
        leave()
        return false
    }

    func leave() { open.wrappingSubtract(1, ordering: .relaxed) }

    /// False when other clients' bodies leave no room for so many bytes; else they are to be given back.
    func takeBody(_ bytes: Int) -> Bool {
        if bodyBytes.wrappingAdd(bytes, ordering: .relaxed).newValue <= Self.mostBodyBytes { return true }
        giveBackBody(bytes)
        return false
    }

    func giveBackBody(_ bytes: Int) { bodyBytes.wrappingSubtract(bytes, ordering: .relaxed) }

    /// One more client came than there is room for.
    func noteCrowd() {
        if count >= limit { note(.connections(limit: limit)) }
    }

    /// A client could not be accepted. True when it can be, by a descriptor of the reserve.
    func noteRefusal(_ error: IOError) -> Bool {
        switch error.errnoCode {
        case EMFILE: note(.descriptors(limit: DescriptorLimit.current))
        case ENFILE: note(.systemDescriptors)
        case ENOBUFS, ENOMEM: note(.systemMemory)
        default: return true
        }
        return reserve.release()
    }

    /// Each kind is told once a minute at most.
    private func note(_ shortage: GatewayShortage) {
        let now = clock()
        let isNews = alarms.withLock { alarms in
            if let last = alarms[shortage], abs(now - last) < Self.alarmSeconds { return false }
            alarms[shortage] = now
            return true
        }
        if isNews { report?(shortage) }
    }

    /// What was told in the last minute or two.
    var recentShortages: [GatewayShortage] {
        let now = clock()
        return alarms.withLock { alarms in
            alarms.filter { abs(now - $0.value) < 2 * Self.alarmSeconds }.map(\.key)
        }
    }
}
