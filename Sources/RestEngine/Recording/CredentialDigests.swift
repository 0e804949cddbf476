import Platform

/// Distinguishes credentials that are masked in a recording: it stores an HMAC of each, with a key that
/// belongs to the recording (rule 49.4).
///
/// The key is in the file, so a reader can test guesses of a credential. Only two bytes of each digest are
/// stored: one in 65,536 passwords of a list of likely ones matches, which distinguishes two users but does
/// not reveal the password.
struct CredentialDigests: Sendable {
    static let keyBytes = 16
    /// Bytes of each digest that are stored.
    static let bytes = 2

    let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    /// Makes a key; if the system has no random bytes, there are no digests.
    init() { key = Crypto.randomBytes(Self.keyBytes) ?? [] }

    /// The digests of all credentials in the head, in the URL and in the body.
    func all(_ headers: Headers, url: String, body: [UInt8], _ type: String?) -> Set<String> {
        let mask = SecretMask.standard
        var found: Set<String> = []
        for field in headers.fields where mask.hides(field.name) {
            add(field.name.lowercased(), Array(field.value.utf8), &found)
        }
        if let plain = ComparedRequest.url(url, nil), mask.url(plain) != plain {
            add("", Array(plain.utf8), &found)
        }
        if !body.isEmpty, mask.body(body, type) != body {
            add(" ", ComparedRequest.body(body, type, nil), &found)
        }
        return found
    }

    private func add(_ name: String, _ value: [UInt8], _ found: inout Set<String>) {
        if let digest = digest(name, value) { found.insert(digest) }
    }

    private func digest(_ name: String, _ value: [UInt8]) -> String? {
        guard !key.isEmpty,
            let digest = HashFunction.sha256.authenticationCode(key: key, Array(name.utf8) + [0] + value)
        else {
            return nil
        }
        return Hex.encode(Array(digest.prefix(Self.bytes)))
    }

    /// The digest of a body in which no secret can be masked; nil without a key.
    func whole(_ body: [UInt8]) -> String? { digest(" ", body) }
}
