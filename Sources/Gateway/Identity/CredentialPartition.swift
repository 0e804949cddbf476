import RestEngine

/// The partition of a client's own credentials for the API: a digest with a key of this process, from which
/// nobody can find the credentials.
enum CredentialPartition {
    /// Nil if the machine has no random bytes, so that there is no digest either.
    private static let key = Crypto.randomBytes(32)

    /// Nil without fields. If no digest can be made, each request gets a partition of its own.
    static func name(for fields: [(name: String, value: String)]) -> String? {
        if fields.isEmpty { return nil }
        var bytes: [UInt8] = []
        for field in fields.map({ ($0.name.lowercased(), $0.value) }).sorted(by: <) {
            bytes += Array(field.0.utf8) + [0] + Array(field.1.utf8) + [0]
        }
        let digest = key.flatMap { HashFunction.sha256.authenticationCode(key: $0, bytes) }
        let name = digest.map { Hex.encode(Array($0.prefix(16))) }
        return Partition.credentialsPrefix + (name ?? unique())
    }

    private static func unique() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    }
}
