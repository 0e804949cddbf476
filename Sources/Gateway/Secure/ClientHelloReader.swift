/// Reads the first message of a TLS client (RFC 8446 4.1.2) and takes the protocols that it offers (RFC 7301
/// 3.1).
///
/// It judges nothing else. Malformed messages are left to the TLS library, which gets the same bytes.
struct ClientHelloReader {
    enum Outcome: Equatable {
        case needMore
        /// The offered protocols; nil if the client offers none, or if this reader can't read the message.
        case offers([[UInt8]]?)
    }

    /// The limit for the message. The TLS library takes no longer one from clients without a certificate
    /// (limit L300).
    static let mostBytes = 16 << 10

    private static let lengthOfHead = 4
    /// The part of a record's head that has arrived.
    private var head: [UInt8] = []
    /// Bytes of the record that are still to come.
    private var left = 0
    private var message: [UInt8] = []

    /// After an outcome other than ``Outcome/needMore`` the reader is finished.
    mutating func take(_ bytes: some Collection<UInt8>) -> Outcome {
        var rest = bytes[...]
        while let first = rest.first {
            guard left == 0 else {
                let part = rest.prefix(left)
                message += part
                left -= part.count
                rest = rest.dropFirst(part.count)
                if let outcome = readMessage() { return outcome }
                continue
            }
            rest = rest.dropFirst()
            head.append(first)
            guard head.count == 5 else { continue }
            left = Int(head[3]) << 8 | Int(head[4])
            // A record of the handshake that isn't empty (RFC 8446 5.1).
            guard head[0] == 22, head[1] == 3, left > 0 else { return .offers(nil) }
            head.removeAll(keepingCapacity: true)
        }
        return .needMore
    }

    private func readMessage() -> Outcome? {
        guard message.count >= Self.lengthOfHead else { return nil }
        let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
        guard message[0] == 1, length <= Self.mostBytes else { return .offers(nil) }
        guard message.count >= Self.lengthOfHead + length else { return nil }
        return .offers(Self.protocols(inHello: message[Self.lengthOfHead...].prefix(length)))
    }

    private static func protocols(inHello bytes: ArraySlice<UInt8>) -> [[UInt8]]? {
        var hello = Fields(rest: bytes)
        // First the version and random bytes, then session, cipher suites and compressions.
        guard hello.take(34) != nil, hello.takeVector(1) != nil, hello.takeVector(2) != nil,
            hello.takeVector(1) != nil, let all = hello.takeVector(2)
        else { return nil }
        var extensions = Fields(rest: all)
        while let type = extensions.takeNumber(2), let content = extensions.takeVector(2) {
            guard type == 16 else { continue }
            var list = Fields(rest: content)
            guard let names = list.takeVector(2), list.rest.isEmpty else { return nil }
            return Self.names(inList: names)
        }
        return nil
    }

    private static func names(inList bytes: ArraySlice<UInt8>) -> [[UInt8]]? {
        var list = Fields(rest: bytes)
        var names: [[UInt8]] = []
        while !list.rest.isEmpty {
            guard let name = list.takeVector(1), !name.isEmpty else { return nil }
            names.append(Array(name))
        }
        return names.isEmpty ? nil : names
    }

    /// Reads numbers and vectors of TLS (RFC 8446 3.3, 3.4), one after the other; nil if bytes are missing.
    private struct Fields {
        private(set) var rest: ArraySlice<UInt8>

        init(rest: ArraySlice<UInt8>) { self.rest = rest }

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func takeNumber(_ size: Int) -> Int? { take(size)?.reduce(0) { $0 << 8 | Int($1) } }

        /// A vector whose length takes this many bytes.
        mutating func takeVector(_ size: Int) -> ArraySlice<UInt8>? { takeNumber(size).flatMap { take($0) } }
    }
}
