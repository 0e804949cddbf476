internal import CCrypto

/// A public key for signatures, read from a set of keys (RFC 7517, RFC 7518 6, RFC 8037 2).
package struct JSONWebKey: Sendable, Equatable {
    /// Its `kid`.
    package let id: String?
    /// The algorithms that it is for.
    package let algorithms: Set<SignatureAlgorithm>
    private let pem: [UInt8]

    /// Nil for a key of another kind or for another use, which a reader ignores (RFC 7517 5).
    init?(_ key: Tree) {
        guard key["use"].map({ $0.string == "sig" }) ?? true,
            key["key_ops"].map({ $0.elements.contains { $0.string == "verify" } }) ?? true,
            let made = Self.make(key), !made.pem.isEmpty
        else { return nil }
        var algorithms = made.algorithms
        if let only = key["alg"] { algorithms = algorithms.filter { $0.rawValue == only.string } }
        guard !algorithms.isEmpty else { return nil }
        id = key["kid"]?.string
        pem = made.pem
        self.algorithms = algorithms
    }

    /// False also for a key that is of no use for the algorithm.
    package func verifies(_ signature: [UInt8], of bytes: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        algorithms.contains(algorithm)
            && (try? algorithm.isValid(signature, of: bytes, key: pem)) ?? false
    }

    private static func make(_ key: Tree) -> (pem: [UInt8], algorithms: Set<SignatureAlgorithm>)? {
        switch (key["kty"]?.string, key["crv"]?.string) {
        case ("RSA", _):
            guard let n = number(key, "n"), let e = number(key, "e"), n.count >= leastModulusBytes else {
                return nil
            }
            let pem = written { ccrypto_rsa_pem(n, n.count, e, e.count, $0, $1) }
            return (pem, [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        case ("EC", let curve?):
            guard let (hash, algorithm) = curves[curve], let x = number(key, "x"), let y = number(key, "y"),
                x.count == y.count
            else { return nil }
            return (written { ccrypto_ec_pem(hash, x, y, x.count, $0, $1) }, [algorithm])
        case ("OKP", "Ed25519"):
            guard let x = number(key, "x") else { return nil }
            return (written { ccrypto_ed25519_pem(x, x.count, $0, $1) }, [.edDSA])
        default: return nil
        }
    }

    /// Shorter keys are refused (RFC 7518 3.3).
    private static let leastModulusBytes = 256

    private static let curves: [String: (ccrypto_hash, SignatureAlgorithm)] = [
        "P-256": (CCRYPTO_SHA256, .es256), "P-384": (CCRYPTO_SHA384, .es384),
        "P-521": (CCRYPTO_SHA512, .es512),
    ]

    private static func number(_ key: Tree, _ name: String) -> [UInt8]? {
        key[name]?.string.flatMap { Base64.decodeURL(Array($0.utf8)) }
    }

    private static func written(_ write: (UnsafeMutablePointer<CChar>, Int) -> Int) -> [UInt8] {
        var text = [CChar](repeating: 0, count: Int(CCRYPTO_MAX_PEM))
        let count = write(&text, text.count)
        return text[..<count].map { UInt8(bitPattern: $0) }
    }
}

/// The keys of an issuer of tokens: a JWK Set (RFC 7517 5).
package struct JSONWebKeySet: Sendable, Equatable {
    package static let mostBytes = 256 << 10
    package static let mostKeys = 100

    /// A text that is no set of keys. The message follows the name of the set.
    package struct Fault: Error, Equatable {
        package let message: String
    }

    package let keys: [JSONWebKey]

    package init(_ text: [UInt8]) throws(Fault) {
        guard text.count <= Self.mostBytes else {
            throw Fault(message: "is longer than \(Self.mostBytes >> 10) KiB")
        }
        let limits = Tree.Limits(depth: 8, bytes: 4 * Self.mostBytes)
        guard let set = Tree(strictJSON: text, limits: limits), let all = set["keys"], all.kind == .array
        else {
            throw Fault(message: "is no JWK Set: JSON with 'keys', and no member twice")
        }
        guard all.count <= Self.mostKeys else {
            throw Fault(message: "has more than \(Self.mostKeys) keys")
        }
        keys = all.elements.compactMap(JSONWebKey.init)
        if keys.isEmpty {
            throw Fault(message: "has no public key for signatures that is known here: RSA, EC or Ed25519")
        }
    }

    /// The keys with which a token may be signed. Without a `kid` each key of its algorithm is tried.
    package func candidates(id: String?, _ algorithm: SignatureAlgorithm) -> [JSONWebKey] {
        keys.filter { $0.algorithms.contains(algorithm) && (id == nil || $0.id == id) }
    }
}
