internal import CCrypto

/// The hash of a password, as text: of crypt(5), `$5$` or `$6$`, or in the form of the password hashing
/// competition (PHC), `$scrypt$` or `$pbkdf2-sha256$`. Checking one takes long on purpose.
package struct PasswordHash: Sendable, Equatable {
    /// A text that is no hash of a known kind. The message follows the name of the hash.
    package struct Fault: Error, Equatable {
        package let message: String
    }

    /// Longer passwords are never right.
    package static let mostPasswordBytes = 512
    private static let mostTextBytes = 512
    /// A check may not take seconds, since clients can ask for it.
    private static let mostRounds = 1_000_000
    private static let mostIterations = 10_000_000
    private static let mostMemory = 64 << 20

    private enum Kind: Equatable {
        case crypt
        case scrypt(n: UInt64, r: UInt64, p: UInt64, salt: [UInt8], hash: [UInt8])
        case pbkdf2(HashFunction, iterations: Int32, salt: [UInt8], hash: [UInt8])
    }

    /// As it was given.
    package let text: String
    private let kind: Kind

    package init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.mostTextBytes else { throw Fault(message: "is too long") }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2, parts[0].isEmpty else {
            throw Fault(message: "is of no known form; run 'resthost hash' to make one")
        }
        self.text = text
        kind =
            switch parts[1] {
            case "5", "6": try Self.crypt(parts)
            case "scrypt": try Self.scrypt(parts)
            case "pbkdf2-sha256": try Self.pbkdf2(.sha256, parts)
            case "pbkdf2-sha512": try Self.pbkdf2(.sha512, parts)
            case "pbkdf2": try Self.pbkdf2(.sha1, parts)
            default:
                throw Fault(
                    message:
                        "is of the kind '\(parts[1])': there are $scrypt$, $pbkdf2-sha256$, $pbkdf2-sha512$, $6$ and $5$"
                )
            }
    }

    /// `$6$salt$hash`, or `$6$rounds=N$salt$hash`.
    private static func crypt(_ parts: [String]) throws(Fault) -> Kind {
        var rest = parts[2...]
        if let first = rest.first, first.hasPrefix("rounds=") {
            guard let rounds = Int(first.dropFirst(7)), 1000...mostRounds ~= rounds else {
                throw Fault(message: "has 1000 to \(mostRounds) rounds")
            }
            rest = rest.dropFirst()
        }
        let length = parts[1] == "6" ? 86 : 43
        guard rest.count == 2, let salt = rest.first, let hash = rest.last, salt.utf8.count <= 16,
            hash.utf8.count == length, (salt + hash).utf8.allSatisfy(isCrypt)
        else { throw Fault(message: "is cut: behind $\(parts[1])$ come a salt and \(length) characters") }
        return .crypt
    }

    private static func isCrypt(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: ".")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// `$scrypt$ln=15,r=8,p=3$salt$hash`.
    private static func scrypt(_ parts: [String]) throws(Fault) -> Kind {
        let names = values(parts[2])
        guard parts.count == 5, let ln = names["ln"], let r = names["r"], let p = names["p"],
            names.count == 3,
            let salt = bytes(parts[3]), let hash = bytes(parts[4]), 16...64 ~= hash.count
        else { throw Fault(message: "looks like $scrypt$ln=15,r=8,p=3$SALT$HASH with base64") }
        guard 1...20 ~= ln, 1...32 ~= r, 1...16 ~= p, 128 * r << ln <= mostMemory else {
            throw Fault(message: "needs more than 64 MiB, or has a parameter that is out of range")
        }
        return .scrypt(n: 1 << UInt64(ln), r: UInt64(r), p: UInt64(p), salt: salt, hash: hash)
    }

    /// `$pbkdf2-sha256$i=600000$salt$hash`, or with the number alone.
    private static func pbkdf2(_ function: HashFunction, _ parts: [String]) throws(Fault) -> Kind {
        let number = parts[2].hasPrefix("i=") ? String(parts[2].dropFirst(2)) : parts[2]
        guard parts.count == 5, let iterations = Int32(number), let salt = bytes(parts[3]),
            let hash = bytes(parts[4]), 16...64 ~= hash.count
        else { throw Fault(message: "looks like $\(parts[1])$i=600000$SALT$HASH with base64") }
        guard 1000...mostIterations ~= Int(iterations) else {
            throw Fault(message: "has 1000 to \(mostIterations) iterations")
        }
        return .pbkdf2(function, iterations: iterations, salt: salt, hash: hash)
    }

    private static func values(_ text: String) -> [String: Int] {
        var values: [String: Int] = [:]
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            if parts.count == 2, let number = Int(parts[1]) { values[String(parts[0])] = number }
        }
        return values
    }

    /// Base64, in which some programs write a dot for the plus sign. Nil for none.
    private static func bytes(_ text: String) -> [UInt8]? {
        guard let bytes = try? Base64.decode(Array(text.replacing(".", with: "+").utf8)).get(), !bytes.isEmpty
        else { return nil }
        return bytes
    }

    // MARK: Checks

    /// Whether the hash is that of the password. Blocks for as long as the hash function takes.
    package func isRight(_ password: [UInt8]) -> Bool {
        // A hash of crypt ends at a NUL, so a longer password would be as good.
        guard password.count <= Self.mostPasswordBytes, !password.contains(0) else { return false }
        switch kind {
        case .crypt: return Self.crypt(password, text).map { Crypto.isEqual($0, Array(text.utf8)) } ?? false
        case .scrypt(let n, let r, let p, let salt, let hash):
            return Self.scrypt(password, n, r, p, salt, count: hash.count).map { Crypto.isEqual($0, hash) }
                ?? false
        case .pbkdf2(let function, let iterations, let salt, let hash):
            var made = [UInt8](repeating: 0, count: hash.count)
            let isMade = Self.text(password).withUnsafeBufferPointer { text in
                ccrypto_pbkdf2(
                    function.code, text.baseAddress, password.count, salt, salt.count, iterations, &made,
                    made.count)
            }
            return isMade == 1 && Crypto.isEqual(made, hash)
        }
    }

    /// Whether this system has the hash function.
    package var isKnownHere: Bool { kind != .crypt || Self.hasCrypt }

    private static let hasCrypt = crypt([], "$6$rounds=1000$salt$") != nil

    /// Hashes a password with scrypt and a random salt. Nil if the system has no random bytes, and for a
    /// password that can't be right.
    package static func make(_ password: [UInt8]) -> String? {
        guard !password.isEmpty, password.count <= mostPasswordBytes, !password.contains(0),
            let salt = Crypto.randomBytes(16), let hash = scrypt(password, 1 << 15, 8, 3, salt, count: 32)
        else { return nil }
        let texts = [salt, hash].map { Base64.encode($0).replacing("=", with: "") }
        return "$scrypt$ln=15,r=8,p=3$\(texts[0])$\(texts[1])"
    }

    private static func scrypt(
        _ password: [UInt8], _ n: UInt64, _ r: UInt64, _ p: UInt64, _ salt: [UInt8], count: Int
    ) -> [UInt8]? {
        var hash = [UInt8](repeating: 0, count: count)
        // The library counts some memory beside the table.
        let isMade = text(password).withUnsafeBufferPointer { text in
            ccrypto_scrypt(
                text.baseAddress, password.count, salt, salt.count, n, r, p, UInt64(mostMemory + (1 << 20)),
                &hash,
                hash.count)
        }
        return isMade == 1 ? hash : nil
    }

    private static func crypt(_ password: [UInt8], _ setting: String) -> [UInt8]? {
        var hash = [CChar](repeating: 0, count: Int(CCRYPTO_MAX_CRYPT))
        let count = text(password).withUnsafeBufferPointer { text in
            ccrypto_crypt(text.baseAddress, setting, &hash, hash.count)
        }
        return count > 0 ? hash[..<count].map { UInt8(bitPattern: $0) } : nil
    }

    /// As a text of C.
    private static func text(_ password: [UInt8]) -> [CChar] {
        password.map { CChar(bitPattern: $0) } + [0]
    }
}
