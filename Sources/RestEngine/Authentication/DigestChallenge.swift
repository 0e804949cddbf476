/// A challenge of the Digest scheme that can be answered (RFC 7616 3.3).
struct DigestChallenge: Equatable {
    /// Why one can't be answered.
    struct Refusal: Error, Equatable {
        let message: String
    }

    var realm: String
    var nonce: String
    var opaque: String?
    var hash: HashFunction
    /// As it is written, to be sent back; nil where the challenge names none.
    var algorithm: String?
    /// The digest is of the session: `-sess` (3.4.2).
    var isSession: Bool
    /// Nil before RFC 2617, which MD5 alone is still asked for with.
    var quality: Quality?
    /// The credentials were good, the nonce was too old.
    var isStale: Bool
    /// The user's name is sent as a digest (3.4.4).
    var hidesUser: Bool
    var isUTF8: Bool

    /// What the digest is about (3.4.3).
    enum Quality: String {
        case request = "auth"
        case requestAndBody = "auth-int"
    }

    init(_ challenge: AuthenticationChallenge) throws(Refusal) {
        let parameters = challenge.parameters
        guard let realm = parameters["realm"], let nonce = parameters["nonce"] else {
            throw Refusal(message: "its Digest challenge lacks realm or nonce")
        }
        self.realm = realm
        self.nonce = nonce
        opaque = parameters["opaque"]
        algorithm = parameters["algorithm"]
        let name = algorithm?.uppercased() ?? HashFunction.md5.rawValue
        isSession = name.hasSuffix("-SESS")
        guard let hash = HashFunction(rawValue: isSession ? String(name.dropLast(5)) : name) else {
            throw Refusal(message: "it asks for Digest with the algorithm '\(name.printable)'")
        }
        self.hash = hash
        if let offered = parameters["qop"] {
            let names = offered.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
            guard
                let quality = [.request, .requestAndBody].first(where: { names.contains($0.rawValue) })
                    as Quality?
            else { throw Refusal(message: "it asks for Digest with qop=\"\(offered.printable)\"") }
            self.quality = quality
        } else if hash != .md5 || isSession {
            throw Refusal(message: "its Digest challenge lacks qop")
        }
        isStale = parameters["stale"]?.lowercased() == "true"
        hidesUser = parameters["userhash"]?.lowercased() == "true"
        isUTF8 = parameters["charset"]?.lowercased() == "utf-8"
    }

    /// The challenge to answer: the first that can be, as servers list what they prefer first (3.7). Throws what is wrong
    /// with the last of those that can't.
    static func first(in challenges: [AuthenticationChallenge]) throws(Refusal) -> DigestChallenge {
        var refusal: Refusal?
        for challenge in challenges where challenge.scheme == "digest" {
            do throws(Refusal) { return try DigestChallenge(challenge) } catch { refusal = error }
        }
        if let refusal { throw refusal }
        let schemes = challenges.map(\.scheme).joined(separator: ", ")
        throw Refusal(
            message: schemes.isEmpty
                ? "it sent no challenge that can be understood" : "it asks for \(schemes), not Digest")
    }
}
