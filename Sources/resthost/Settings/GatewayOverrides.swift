import Gateway
import RestScript

/// What `[gateway]` of `resthost.toml` says in place of the script: where it runs is its operator's to say.
struct GatewayOverrides {
    var listen: [String] = []
    /// The line of `listen` in the file.
    private(set) var listenLine: Int?
    var threads: Int?
    private var changes: [@Sendable (inout GatewayLimits) -> Void] = []

    /// What is wrong with a value, in words that follow its name.
    struct Fault: Error {
        let message: String
    }

    static var names: [String] {
        ["listen", "threads", "rate-per-client"] + sizes.keys.sorted() + counts.keys.sorted()
            + times.keys.sorted()
    }

    private static let sizes: [String: @Sendable (inout GatewayLimits, Int) -> Void] = [
        "body": { $0.maxBodyBytes = $1 }, "stream-body": { $0.maxStreamedBodyBytes = $1 },
    ]

    private typealias Counts = [String: (ClosedRange<Int>, @Sendable (inout GatewayLimits, Int) -> Void)]

    private static let counts: Counts = [
        "connections": (1...1_000_000, { $0.maxConnections = $1 }),
        "header-bytes": (1024...1 << 20, { $0.maxHeaderBytes = $1 }),
        "target-bytes": (256...1 << 20, { $0.maxTargetBytes = $1 }),
        "in-flight-per-client": (1...1_000_000, { $0.requestsPerClient = $1 }),
        "streams-per-client": (1...1_000_000, { $0.streamsPerClient = $1 }),
    ]

    private static let times: [String: @Sendable (inout GatewayLimits, Double) -> Void] = [
        "header-timeout": { $0.headerTimeout = $1 }, "idle-timeout": { $0.idleTimeout = $1 },
        "timeout": { $0.requestTimeout = $1 },
    ]

    func apply(to limits: inout GatewayLimits) { for change in changes { change(&limits) } }

    mutating func take(_ entry: TOMLDocument.Entry) throws(Fault) {
        let (key, value) = (entry.key, entry.value)
        switch key {
        case "listen": (listen, listenLine) = (try Self.addresses(value), entry.line)
        case "threads": threads = try Self.count(value, 1...1024)
        case "rate-per-client":
            let rate = try Self.rate(value)
            changes.append { $0.perClient = rate }
        default:
            if let change = Self.sizes[key] {
                let bytes = try Self.size(value)
                changes.append { change(&$0, bytes) }
            } else if let (range, change) = Self.counts[key] {
                let count = try Self.count(value, range)
                changes.append { change(&$0, count) }
            } else if let change = Self.times[key] {
                let seconds = try Self.seconds(value)
                changes.append { change(&$0, seconds) }
            }
        }
    }

    private static func size(_ value: TOMLDocument.Value) throws(Fault) -> Int {
        guard case .string(let text) = value, let count = ByteCount(text) else {
            throw Fault(message: "is a size such as \"16MiB\"")
        }
        return count.bytes
    }

    /// `"100"` each second, `"100/60"` each minute, `"100/60/20"` of which 20 may come at once.
    private static func rate(_ value: TOMLDocument.Value) throws(Fault) -> GatewayRate {
        guard case .string(let text) = value else { throw badRate }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map {
            Double($0).flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
        }
        guard 1...3 ~= parts.count, let requests = parts[0], !parts.contains(nil) else { throw badRate }
        return GatewayRate(
            requests: requests, per: parts.count > 1 ? parts[1] ?? 1 : 1,
            burst: parts.count > 2 ? parts[2] : nil)
    }

    private static let badRate = Fault(
        message: "is a rate such as \"100/60\", requests in so many seconds; a third number is how many "
            + "may come at once")

    private static func addresses(_ value: TOMLDocument.Value) throws(Fault) -> [String] {
        let values: [TOMLDocument.Value] = if case .array(let all) = value { all } else { [value] }
        var addresses: [String] = []
        for value in values {
            guard case .string(let text) = value, !text.isEmpty else {
                throw Fault(message: "is an address such as \"127.0.0.1:8080\", or an array of them")
            }
            addresses.append(text)
        }
        guard !addresses.isEmpty else { throw Fault(message: "has no address in it") }
        return addresses
    }

    private static func count(_ value: TOMLDocument.Value, _ range: ClosedRange<Int>) throws(Fault) -> Int {
        guard case .integer(let number) = value, let count = Int(exactly: number), range.contains(count)
        else {
            throw Fault(message: "is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return count
    }

    private static func seconds(_ value: TOMLDocument.Value) throws(Fault) -> Double {
        let seconds: Double? =
            switch value {
            case .integer(let number): Double(number)
            case .float(let number): number
            default: nil
            }
        guard let seconds, seconds >= 0.1, seconds <= 86_400 else {
            throw Fault(message: "is a number of seconds from 0.1 to 86400")
        }
        return seconds
    }
}
