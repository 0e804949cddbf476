import Platform

/// Tells credentials apart that a recording doesn't have, because they are masked: an HMAC of each, by a key
/// that belongs to the recording (rule 49.4).
///
/// The key is in the file, so anybody can try what a credential may be. Two bytes are kept of each digest: of
/// a list of likely passwords one in 65,536 fits, which tells two users apart, and not which password it is.
struct CredentialDigests: Sendable {
    static let keyBytes = 16
    /// Of each digest.
    static let bytes = 2

    let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    /// With a key of its own; where the system has no random bytes there are no digests.
    init() { key = Crypto.randomBytes(Self.keyBytes) ?? [] }

    /// Of each credential in the head, and of URL and body if there are any in them.
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
        guard !key.isEmpty, let digest = Crypto.hmacSHA256(key: key, Array(name.utf8) + [0] + value) else {
            return
        }
        found.insert(Hex.encode(Array(digest.prefix(Self.bytes))))
    }
}
