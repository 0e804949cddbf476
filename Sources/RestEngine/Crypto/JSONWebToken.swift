/// A signed token with claims: a JWT in the compact form (RFC 7515 7.1, RFC 7519). Its signature is not
/// checked yet.
package struct JSONWebToken: Sendable {
    package static let mostBytes = 8 << 10

    /// Why a token isn't taken, in words without any part of the token.
    package struct Fault: Error, Equatable {
        package let message: String

        package init(_ message: String) { self.message = message }
    }

    /// As the header names it, which may be a name that isn't known here.
    package let algorithm: String
    /// The `kid` of the header.
    package let keyID: String?
    package let claims: Tree
    /// The bytes that are signed.
    private let signed: [UInt8]
    private let signature: [UInt8]

    package init(_ text: [UInt8]) throws(Fault) {
        guard text.count <= Self.mostBytes else {
            throw Fault("the token is longer than \(Self.mostBytes) bytes")
        }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Fault("the token doesn't have the three parts of a JWT") }
        let header = try Self.object(Array(parts[0]), "header")
        claims = try Self.object(Array(parts[1]), "claims")
        guard let signature = Base64.decodeURL(Array(parts[2])) else {
            throw Fault("the token's signature is not base64url")
        }
        // RFC 7515 4.1.11: a reader refuses extensions that it doesn't know, and none is known here.
        guard header["crit"] == nil else {
            throw Fault("the token needs extensions that aren't known here (crit)")
        }
        guard let algorithm = header["alg"]?.string else { throw Fault("the token names no algorithm") }
        let keyID = header["kid"]
        guard keyID == nil || keyID?.string != nil else { throw Fault("the token's kid is no text") }
        self.algorithm = algorithm
        self.keyID = keyID?.string
        self.signature = signature
        signed = Array(text[..<parts[2].startIndex.advanced(by: -1)])
    }

    private static func object(_ part: [UInt8], _ name: String) throws(Fault) -> Tree {
        guard let bytes = Base64.decodeURL(part) else { throw Fault("the token's \(name) is not base64url") }
        let limits = Tree.Limits(depth: 16, bytes: 64 << 10)
        guard let tree = Tree(strictJSON: bytes, limits: limits), tree.kind == .object else {
            throw Fault("the token's \(name) is no JSON object without repeated members")
        }
        return tree
    }

    /// Whether the key has signed it.
    package func isSigned(by key: JSONWebKey, _ algorithm: SignatureAlgorithm) -> Bool {
        algorithm.rawValue == self.algorithm && key.verifies(signature, of: signed, algorithm)
    }
}

/// The claims that a token must have to be taken (RFC 7519 4.1, RFC 8725 3).
package struct TokenRules: Sendable, Equatable {
    /// A claim beside the registered ones.
    package enum Required: Sendable, Equatable {
        /// With any value.
        case present(String)
        /// With this value, or as a list that contains it. In `scope` it is one of the words (RFC 8693 4.2).
        case value(String, Tree)

        package var name: String {
            switch self {
            case .present(let name), .value(let name, _): name
            }
        }
    }

    package var issuer: String
    package var audiences: [String]
    package var algorithms: Set<SignatureAlgorithm>
    /// Seconds by which the issuer's clock may differ.
    package var clockSkew: Double
    package var required: [Required]

    package init(
        issuer: String, audiences: [String], algorithms: Set<SignatureAlgorithm>, clockSkew: Double,
        required: [Required]
    ) {
        (self.issuer, self.audiences, self.algorithms) = (issuer, audiences, algorithms)
        (self.clockSkew, self.required) = (clockSkew, required)
    }

    /// The part of a token's claims that the gateway uses.
    package struct Holder: Sendable, Equatable {
        /// The `sub`.
        package let name: String
        /// The Unix time at which the token ends, the clock's skew included.
        package let end: Double
    }

    private static let mostNameBytes = 256

    /// The algorithm of a token. `none` and those with a shared secret can't be allowed, because they aren't
    /// among the known ones.
    package func algorithm(of token: JSONWebToken) throws(JSONWebToken.Fault) -> SignatureAlgorithm {
        guard let known = SignatureAlgorithm(rawValue: token.algorithm), algorithms.contains(known) else {
            throw JSONWebToken.Fault("the token's algorithm is not among those that are allowed")
        }
        return known
    }

    /// Checks the claims.
    ///
    /// - Parameter now: The Unix time.
    package func check(_ claims: Tree, now: Double) throws(JSONWebToken.Fault) -> Holder {
        guard claims["iss"]?.string == issuer else {
            throw JSONWebToken.Fault("the token is from another issuer (iss)")
        }
        let audience = claims["aud"]
        let named = audience?.string.map { [$0] } ?? audience?.elements.compactMap(\.string) ?? []
        guard named.contains(where: audiences.contains) else {
            throw JSONWebToken.Fault("the token is for another audience (aud)")
        }
        guard let expiry = try Self.time(claims, "exp") else {
            throw JSONWebToken.Fault("the token has no time of expiry (exp)")
        }
        guard now < expiry + clockSkew else { throw JSONWebToken.Fault("the token has expired (exp)") }
        if let begin = try Self.time(claims, "nbf"), now < begin - clockSkew {
            throw JSONWebToken.Fault("the token is not valid yet (nbf)")
        }
        guard let name = claims["sub"]?.string, !name.isEmpty, name.utf8.count <= Self.mostNameBytes else {
            throw JSONWebToken.Fault(
                "the token doesn't name its client in 1 to \(Self.mostNameBytes) bytes (sub)")
        }
        for claim in required where !claim.isMet(by: claims) {
            throw JSONWebToken.Fault("the token lacks a claim that is required (\(claim.name))")
        }
        return Holder(name: name, end: expiry + clockSkew)
    }

    /// A NumericDate (RFC 7519 2).
    private static func time(_ claims: Tree, _ name: String) throws(JSONWebToken.Fault) -> Double? {
        guard let claim = claims[name] else { return nil }
        guard let time = claim.double, time.isFinite else {
            throw JSONWebToken.Fault("the token's \(name) is no number")
        }
        return time
    }
}

extension TokenRules.Required {
    fileprivate func isMet(by claims: Tree) -> Bool {
        switch self {
        case .present(let name): return claims[name].map { !$0.isNull } ?? false
        case .value(let name, let wanted):
            guard let claim = claims[name] else { return false }
            if claim == wanted || claim.elements.contains(wanted) { return true }
            guard name == "scope", let word = wanted.string, let words = claim.string else { return false }
            return words.split(separator: " ").contains { $0 == word }
        }
    }
}
