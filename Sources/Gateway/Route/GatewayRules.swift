import Platform
import RestEngine
import Synchronization

/// The rules about resources and clients. The engine loop replaces them as a whole while the gateway runs.
///
/// Network threads check the version before each request, and drop answers of older rules. An answer to a
/// request under older rules still goes out, but isn't remembered.
final class GatewayRules: Sendable {
    typealias Access = GatewayAccess

    /// The rules of one version. It is a reference, so that a request doesn't copy them.
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

/// The values of the Host header that are accepted. Another name may belong to an attacker, whose page sends
/// a browser to this address (DNS rebinding).
struct HostNames {
    private var names: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

    init(_ more: [String]) {
        for name in more { names.insert(Self.host(of: name)) }
    }

    mutating func insert(_ host: String) { names.insert(Self.host(of: host)) }

    /// The port is ignored: the danger is a foreign name, and forwarded ports are common.
    func accept(_ value: UnsafeRawBufferPointer) -> Bool {
        names.contains(Self.host(of: String(decoding: value, as: UTF8.self)))
    }

    /// A name that can be listed: it has no port, no user before an `@`, and only characters of host names.
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

    /// The host in lower case, without a port.
    static func host(of text: String) -> String {
        let lower = text.lowercased()
        if lower.hasPrefix("["), let end = lower.firstIndex(of: "]") {
            let rest = lower[lower.index(after: end)...]
            return isPort(rest) ? String(lower[...end]) : lower
        }
        guard let colon = lower.firstIndex(of: ":"), isPort(lower[colon...]) else { return lower }
        return String(lower[..<colon])
    }

    /// Empty, or a colon with a valid port number or with none (RFC 3986 3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        guard text.first == ":" else { return text.isEmpty }
        let digits = text.dropFirst()
        return digits.isEmpty || digits.utf8.allSatisfy(HTTPByte.isDigit) && UInt16(digits) != nil
    }
}
