import Platform

/// Reads the header of the PROXY protocol, version 1 or 2, with which a connection through a proxy begins
/// (https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt).
enum ProxyHeaderReader {
    /// The other end of the connection, as the proxy states it.
    enum Source: Equatable {
        /// The proxy itself: a check of health, or a client that it can't state.
        case proxy
        case address(NetworkAddress)
    }

    enum Step: Equatable {
        case needMore
        /// The header has so many bytes. Those of the client follow.
        case header(Source, length: Int)
        /// The bytes are no header.
        case fault
    }

    /// Longer headers carry more than addresses, and are refused.
    static let mostBytes = 4096
    /// The longest line of version 1.
    private static let mostLineBytes = 107
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    private static let word = Array("PROXY ".utf8)

    /// - Parameter bytes: All that have come so far.
    static func read(_ bytes: [UInt8]) -> Step {
        if isBegun(signature, by: bytes) {
            return bytes.count < 16 ? .needMore : readBinary(bytes)
        }
        guard isBegun(word, by: bytes) else { return .fault }
        guard let end = bytes.firstIndex(of: 10) else {
            return bytes.count < mostLineBytes ? .needMore : .fault
        }
        guard end < mostLineBytes, bytes[end - 1] == 13 else { return .fault }
        return readLine(String(decoding: bytes[..<(end - 1)], as: UTF8.self), length: end + 1)
    }

    private static func isBegun(_ start: [UInt8], by bytes: [UInt8]) -> Bool {
        zip(start, bytes).allSatisfy { $0 == $1 }
    }

    /// `PROXY TCP4 192.0.2.1 192.0.2.2 56324 443`.
    private static func readLine(_ line: String, length: Int) -> Step {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        if words.count >= 2, words[1] == "UNKNOWN" { return .header(.proxy, length: length) }
        guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6",
            let source = NetworkAddress(words[2]),
            NetworkAddress(words[3]) != nil, words[2].contains(":") == (words[1] == "TCP6"),
            words[4...].allSatisfy({ UInt16($0) != nil })
        else { return .fault }
        return .header(.address(source), length: length)
    }

    private static func readBinary(_ bytes: [UInt8]) -> Step {
        let length = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
        guard length <= mostBytes, bytes[12] == 0x20 || bytes[12] == 0x21 else { return .fault }
        guard bytes.count >= length else { return .needMore }
        // The command LOCAL comes from the proxy itself.
        if bytes[12] == 0x20 { return .header(.proxy, length: length) }
        switch bytes[13] {
        case 0x11:
            guard length >= 16 + 12 else { return .fault }
            return .header(.address(NetworkAddress(Array(bytes[16..<20]))), length: length)
        case 0x21:
            guard length >= 16 + 36 else { return .fault }
            return .header(.address(NetworkAddress(Array(bytes[16..<32]))), length: length)
        // No family, or a Unix socket: the proxy can't state an address of the network.
        case 0x00, 0x31: return .header(.proxy, length: length)
        default: return .fault
        }
    }
}
