import Platform
import RestEngine
import Synchronization

/// What is shown, and to whom. Replaced as a whole, on the engine loop, while the gateway runs.
///
/// Network threads look at the version before each request and drop what they remember of older rules. An
/// answer that was asked for under older rules still goes out, but is not remembered.
final class GatewayRules: Sendable {
    typealias Access = GatewayAccess

    /// The rules of one version. A reference, so that a request looks at them without copying them.
    final class Snapshot: Sendable {
        let access: Access

        init(_ access: Access) { self.access = access }
    }

    private let current: Mutex<Snapshot>
    private let newest = Atomic(1)

    init(_ access: Access) { current = Mutex(Snapshot(access)) }

    var version: Int { newest.load(ordering: .acquiring) }

    var snapshot: Snapshot { current.withLock { $0 } }

    var currentAccess: Access { snapshot.access }

    @EngineActor
    func replace(_ access: Access) {
        current.withLock { current in
            var access = access
            access.version = current.access.version + 1
            current = Snapshot(access)
            newest.store(access.version, ordering: .releasing)
        }
    }
}

/// The values of the Host header that are answered. Any other name belongs to somebody whose page points a
/// browser at this address (DNS rebinding).
struct HostNames {
    private var names: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

    init(_ more: [String]) {
        for name in more { names.insert(Self.host(of: name)) }
    }

    mutating func insert(_ host: String) { names.insert(Self.host(of: host)) }

    /// The port doesn't matter: a stranger's name is the danger, and forwarded ports are common.
    func accept(_ value: UnsafeRawBufferPointer) -> Bool {
        names.contains(Self.host(of: String(decoding: value, as: UTF8.self)))
    }

    /// Something that may be listed: no port, nobody's name before an `@`, nothing that isn't in names of
    /// hosts.
    static func isName(_ host: String) -> Bool {
        !host.isEmpty && host.utf8.count <= 253
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"),
                    UInt8(ascii: "_"), .dot:
                    true
                default: false
                }
            }
    }

    /// In lower case, without a port.
    static func host(of text: String) -> String {
        let lower = text.lowercased()
        if lower.hasPrefix("["), let end = lower.firstIndex(of: "]") {
            let rest = lower[lower.index(after: end)...]
            return isPort(rest) ? String(lower[...end]) : lower
        }
        guard let colon = lower.firstIndex(of: ":"), isPort(lower[colon...]) else { return lower }
        return String(lower[..<colon])
    }

    /// Nothing, or a colon with a number that a port can have, or with none (RFC 3986 3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        guard text.first == ":" else { return text.isEmpty }
        let digits = text.dropFirst()
        return digits.isEmpty || digits.utf8.allSatisfy(HTTPByte.isDigit) && UInt16(digits) != nil
    }
}
