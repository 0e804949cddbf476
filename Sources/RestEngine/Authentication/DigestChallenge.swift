/// A challenge of the Digest scheme that can be answered (RFC 7616 3.3).
struct DigestChallenge: Equatable {
    /// The reason why a challenge can't be answered.
    struct Fault: Error, Equatable {
        let message: String
    }

    var realm: String
    var nonce: String
    var opaque: String?
    var hash: HashFunction
    /// The name as the server wrote it, to be sent back; nil where the challenge names none.
    var algorithm: String?
    /// The digest is of the session: `-sess` (3.4.2).
    var isSession: Bool
    /// Nil for a challenge from before RFC 2617, which servers still send with MD5 only.
    var quality: Quality?
    /// The credentials were right, but the nonce was too old.
    var isStale: Bool
    /// The user's name is sent as a digest (3.4.4).
    var hidesUser: Bool
    var isUTF8: Bool

    /// The parts of the request that the digest covers (3.4.3).
    enum Quality: String {
        case request = "auth"
        case requestAndBody = "auth-int"
    }

    init(_ challenge: AuthenticationChallenge) throws(Fault) {
        let parameters = challenge.parameters
        guard let realm = parameters["realm"], let nonce = parameters["nonce"] else {
            throw Fault(message: "its Digest challenge lacks realm or nonce")
        }
        self.realm = realm
        self.nonce = nonce
        opaque = parameters["opaque"]
        algorithm = parameters["algorithm"]
        let name = algorithm?.uppercased() ?? HashFunction.md5.rawValue
        isSession = name.hasSuffix("-SESS")
        guard let hash = HashFunction(rawValue: isSession ? String(name.dropLast(5)) : name),
            [.md5, .sha256, .sha512by256].contains(hash)
        else {
            throw Fault(message: "it asks for Digest with the algorithm '\(name.printable)'")
        }
        self.hash = hash
        if let offered = parameters["qop"] {
            let names = offered.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
            guard
                let quality = [.request, .requestAndBody].first(where: { names.contains($0.rawValue) })
                    as Quality?
            else { throw Fault(message: "it asks for Digest with qop=\"\(offered.printable)\"") }
            self.quality = quality
        } else if hash != .md5 || isSession {
            throw Fault(message: "its Digest challenge lacks qop")
        }
        isStale = parameters["stale"]?.lowercased() == "true"
        hidesUser = parameters["userhash"]?.lowercased() == "true"
        isUTF8 = parameters["charset"]?.lowercased() == "utf-8"
    }

    /// The challenge to answer: the first that can be answered, because servers list what they prefer first
    /// (3.7). Throws the fault of the last one if none can.
    static func first(in challenges: [AuthenticationChallenge]) throws(Fault) -> DigestChallenge {
        var fault: Fault?
        for challenge in challenges where challenge.scheme == "digest" {
            do throws(Fault) { return try DigestChallenge(challenge) } catch { fault = error }
        }
        if let fault { throw fault }
        let schemes = challenges.map(\.scheme).joined(separator: ", ")
        throw Fault(
            message: schemes.isEmpty
                ? "it sent no challenge that can be understood" : "it asks for \(schemes), not Digest")
    }
}

/// One answer to a challenge of the Digest scheme, as a pure function (RFC 7616 3.4).
struct DigestAnswer {
    var user: String
    var password: String
    var challenge: DigestChallenge
    var method: String
    /// The request's target, as it is sent.
    var target: String
    /// Nil for a body that is read while it is sent.
    var body: [UInt8]?
    /// How many requests this nonce has been used for, this one included.
    var count: UInt32
    /// The client's own nonce.
    var clientNonce: String

    /// The value of the Authorization field.
    func header() throws(DigestChallenge.Fault) -> String {
        let count = Hex.digits(UInt64(count), count: 8)
        let quality = challenge.quality
        var secret = try sum("\(user):\(challenge.realm):\(password)")
        if challenge.isSession { secret = try sum("\(secret):\(challenge.nonce):\(clientNonce)") }
        var message = "\(method):\(target)"
        if quality == .requestAndBody {
            guard let body else {
                throw DigestChallenge.Fault(
                    message:
                        "it asks for a digest of the body (auth-int), and this one is read while it is sent")
            }
            message += ":" + (try sum(body))
        }
        let middle =
            quality.map { "\(challenge.nonce):\(count):\(clientNonce):\($0.rawValue)" } ?? challenge.nonce
        let response = try sum("\(secret):\(middle):\(try sum(message))")

        var fields = try userFields()
        fields.append(("realm", AuthenticationChallenge.quoted(challenge.realm)))
        fields.append(("nonce", AuthenticationChallenge.quoted(challenge.nonce)))
        fields.append(("uri", AuthenticationChallenge.quoted(target)))
        fields.append(("response", "\"\(response)\""))
        if let algorithm = challenge.algorithm { fields.append(("algorithm", algorithm)) }
        if let opaque = challenge.opaque { fields.append(("opaque", AuthenticationChallenge.quoted(opaque))) }
        if let quality {
            fields += [("qop", quality.rawValue), ("nc", count), ("cnonce", "\"\(clientNonce)\"")]
        }
        if challenge.hidesUser { fields.append(("userhash", "true")) }
        return "Digest " + fields.map { "\($0)=\($1)" }.joined(separator: ", ")
    }

    /// A name that isn't ASCII has a form of its own, for servers that read it (3.4, RFC 8187).
    private func userFields() throws(DigestChallenge.Fault) -> [(String, String)] {
        if challenge.hidesUser {
            return [("username", "\"\(try sum("\(user):\(challenge.realm)"))\"")]
        }
        if challenge.isUTF8, !user.utf8.allSatisfy({ $0 < 0x80 }) {
            return [("username*", "UTF-8''" + PercentEncoding.component(Array(user.utf8)))]
        }
        return [("username", AuthenticationChallenge.quoted(user))]
    }

    private func sum(_ text: String) throws(DigestChallenge.Fault) -> String { try sum(Array(text.utf8)) }

    private func sum(_ bytes: [UInt8]) throws(DigestChallenge.Fault) -> String {
        guard let digest = challenge.hash.digest(of: bytes) else {
            throw DigestChallenge.Fault(
                message: "it asks for \(challenge.hash.rawValue), which this machine's libcrypto refuses")
        }
        return Hex.encode(digest)
    }
}
