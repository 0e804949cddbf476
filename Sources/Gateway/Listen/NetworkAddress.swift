import Platform

/// An address of IPv4 or IPv6. One of IPv4 in the form of IPv6 (RFC 4291 2.5.5.2) is the one of IPv4.
struct NetworkAddress: Sendable, Equatable {
    /// 4 or 16 bytes, the first one first.
    let bytes: [UInt8]

    /// Nil for text that is no address, and for one with a port or a zone.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        // The library takes no other characters, but would stop at a NUL.
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            guard inet_pton(family, text, &bytes) == 1 else { continue }
            self.init(bytes)
            return
        }
        return nil
    }

    /// 4 or 16 bytes.
    init(_ bytes: [UInt8]) {
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    var text: String {
        var text = [CChar](repeating: 0, count: 64)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The proxies whose statements about their clients are believed.
struct TrustedProxies: Sendable, Equatable {
    /// A text that is no such address. The message follows it.
    struct Fault: Error {
        let text: String
        let message: String
    }

    fileprivate struct Range: Equatable {
        let bytes: [UInt8]
        let bits: Int

        func contains(_ address: NetworkAddress) -> Bool {
            guard address.bytes.count == bytes.count else { return false }
            let whole = bits / 8
            guard address.bytes[..<whole] == bytes[..<whole] else { return false }
            guard bits % 8 > 0 else { return true }
            return (address.bytes[whole] ^ bytes[whole]) >> (8 - bits % 8) == 0
        }
    }

    private var ranges: [Range] = []
    /// Clients of Unix sockets are proxies.
    private var hasUnix = false

    static let none = TrustedProxies()

    private init() {}

    /// - Parameter texts: Addresses, networks such as `10.0.0.0/8`, and `unix`.
    init(_ texts: [String]) throws(Fault) {
        for text in texts {
            if text == "unix" {
                hasUnix = true
                continue
            }
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let address = NetworkAddress(parts[0]) else {
                throw Fault(
                    text: text,
                    message:
                        "is no address: a trusted proxy is one such as \"10.0.0.1\", \"10.0.0.0/8\", \"::1\" or \"unix\""
                )
            }
            let most = 8 * address.bytes.count
            guard parts.count == 1 || Int(parts[1]).map({ (0...most).contains($0) }) ?? false else {
                throw Fault(text: text, message: "has no length of 0 to \(most) behind the slash")
            }
            let range = Range(bytes: address.bytes, bits: parts.count == 1 ? most : Int(parts[1]) ?? most)
            // A network that is written with one of its hosts is often a slip.
            guard range.isAligned else {
                throw Fault(
                    text: text, message: "has bits behind its length, so it may be meant for another network")
            }
            ranges.append(range)
        }
    }

    var isEmpty: Bool { ranges.isEmpty && !hasUnix }

    /// - Parameter address: Nil on a Unix socket.
    func contains(_ address: NetworkAddress?) -> Bool {
        guard let address else { return hasUnix }
        return ranges.contains { $0.contains(address) }
    }
}

extension TrustedProxies.Range {
    fileprivate var isAligned: Bool {
        bytes.indices.allSatisfy { index in
            let kept = min(8, max(0, bits - 8 * index))
            return kept == 8 || bytes[index] << UInt8(kept) == 0
        }
    }
}
