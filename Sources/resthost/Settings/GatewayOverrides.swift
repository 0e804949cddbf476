import Gateway
import RestScript

/// What `[gateway]` of `resthost.toml` says in place of the script: where it runs is its operator's to say.
struct GatewayOverrides {
    var listen: [String] = []
    var threads: Int?
    private var changes: [@Sendable (inout GatewayLimits) -> Void] = []

    /// What is wrong with a value, in words that follow its name.
    struct Fault: Error {
        let message: String
    }

    static var names: [String] {
        ["listen", "threads", "body", "stream-body"] + counts.keys.sorted() + times.keys.sorted()
    }

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

    mutating func take(_ key: String, _ value: TOMLDocument.Value) throws(Fault) {
        switch key {
        case "listen": listen = try Self.addresses(value)
        case "threads": threads = try Self.count(value, 1...1024)
        case "body", "stream-body":
            guard case .string(let text) = value, let count = ByteCount(text) else {
                throw Fault(message: "is a size such as \"16MiB\"")
            }
            let isHeld = key == "body"
            changes.append {
                if isHeld { $0.maxBodyBytes = count.bytes } else { $0.maxStreamedBodyBytes = count.bytes }
            }
        default:
            if let (range, change) = Self.counts[key] {
                let count = try Self.count(value, range)
                changes.append { change(&$0, count) }
            } else if let change = Self.times[key] {
                let seconds = try Self.seconds(value)
                changes.append { change(&$0, seconds) }
            }
        }
    }

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
