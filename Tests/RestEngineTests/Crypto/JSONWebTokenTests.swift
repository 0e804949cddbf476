import TestSupport
import Testing

@testable import RestEngine

/// Tokens and sets of keys (RFC 7515, 7517, 7518, 7519, 8037, 8725).
@Suite struct JSONWebTokenTests {
    private typealias Fault = JSONWebToken.Fault

    private static let rules = TokenRules(
        issuer: "https://issuer.example", audiences: ["shop", "other"], algorithms: [.rs256, .es256, .edDSA],
        clockSkew: 30, required: [])
    private static let now = 1_000_000.0
    private static let right =
        #"{"iss":"https://issuer.example","aud":"shop","exp":1000060,"sub":"ada","scope":"read write"}"#

    private static func set(_ keys: [Tree]) throws -> JSONWebKeySet {
        try JSONWebKeySet(TestIssuer.set(keys))
    }

    private static func claims(_ text: String) throws -> Tree { try Tree(json: text) }

    // MARK: Keys

    @Test(arguments: TestIssuer.all) func `each kind of key verifies what its private half has signed`(
        issuer: TestIssuer
    ) throws {
        let keys = try Self.set([issuer.key("a")])
        let token = try JSONWebToken(Array(issuer.token(Self.right, id: "a").utf8))
        #expect(token.keyID == "a" && token.claims["sub"]?.string == "ada")
        let key = try #require(keys.candidates(id: "a", issuer.algorithm).first)
        #expect(token.isSigned(by: key, issuer.algorithm))
        #expect(keys.candidates(id: "b", issuer.algorithm).isEmpty)
        #expect(keys.candidates(id: nil, issuer.algorithm) == [key])
        for other in SignatureAlgorithm.allCases where other != issuer.algorithm {
            #expect(!token.isSigned(by: key, other))
        }
        for other in TestIssuer.all + [.otherRSA] {
            let own = try Self.set([other.key("a")]).keys[0]
            if own != key { #expect(!token.isSigned(by: own, issuer.algorithm)) }
        }
    }

    @Test(arguments: [SignatureAlgorithm.rs384, .rs512, .ps256, .ps384, .ps512])
    func `an RSA key serves all algorithms of RSA, unless it names one`(algorithm: SignatureAlgorithm) throws
    {
        let issuer = TestIssuer.rsa.using(algorithm)
        let token = try JSONWebToken(Array(issuer.token(Self.right).utf8))
        #expect(token.isSigned(by: try Self.set([issuer.key(nil)]).keys[0], algorithm))
        let only = try Self.set([issuer.key(nil, [("alg", "RS256")])]).keys[0]
        #expect(only.algorithms == [.rs256] && !token.isSigned(by: only, algorithm))
    }

    @Test func `keys for other uses and of other kinds are ignored`() throws {
        let good = TestIssuer.ed25519.key("good")
        let others: [Tree] = [
            TestIssuer.rsa.key("enc", [("use", "enc")]), TestIssuer.rsa.key("ops", [("key_ops", ["sign"])]),
            TestIssuer.rsa.key("alg", [("alg", "HS256")]), TestIssuer.ec256.key("alg", [("alg", "ES384")]),
            ["kty": "oct", "k": "AAAA"], ["kty": "RSA", "n": "AQAB", "e": "AQAB"], ["kty": "RSA"], 5, "x",
            ["kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"],
            ["kty": "EC", "crv": "secp256k1", "x": "AAAA", "y": "AAAA"],
            ["kty": "OKP", "crv": "X25519", "x": Tree(String(repeating: "A", count: 43))],
            ["kty": "OKP", "crv": "Ed25519", "x": "AAAA"],
        ]
        #expect(try Self.set(others + [good]).keys.map(\.id) == ["good"])
        #expect(throws: JSONWebKeySet.Fault.self) { try Self.set(others) }
        // A point that isn't on the curve.
        let wrong = Tree(
            pairs: TestIssuer.ec256.members.map {
                $0.0 == "y" ? ("y", Tree(String(($0.1.string ?? "").reversed()))) : $0
            })
        #expect(throws: JSONWebKeySet.Fault.self) { try Self.set([wrong]) }
        // An exponent of 1 would make every signature valid.
        let one = Tree(pairs: TestIssuer.rsa.members.map { $0.0 == "e" ? ("e", "AQ") : $0 })
        #expect(throws: JSONWebKeySet.Fault.self) { try Self.set([one]) }
    }

    @Test func `a document that is no set of keys, or a huge one, is refused`() throws {
        for text in ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, "{\"keys\":[", "\u{FEFF}{}"] {
            #expect(throws: JSONWebKeySet.Fault.self) { try JSONWebKeySet(Array(text.utf8)) }
        }
        let key = try String(decoding: TestIssuer.ed25519.key("a").json(), as: UTF8.self)
        #expect(throws: JSONWebKeySet.Fault.self) {
            try JSONWebKeySet(Array(#"{"keys":[\#(key)],"keys":[\#(key)]}"#.utf8))
        }
        let repeated = key.replacing(#""kid":"a""#, with: #""kid":"a","kid":"b""#)
        #expect(throws: JSONWebKeySet.Fault.self) {
            try JSONWebKeySet(Array(#"{"keys":[\#(repeated)]}"#.utf8))
        }
        let many = Array(repeating: TestIssuer.ed25519.key(nil), count: JSONWebKeySet.mostKeys + 1)
        #expect(throws: JSONWebKeySet.Fault.self) { try Self.set(many) }
        let padding = String(repeating: " ", count: JSONWebKeySet.mostBytes)
        #expect(throws: JSONWebKeySet.Fault(message: "is longer than 256 KiB")) {
            try JSONWebKeySet(Array((#"{"keys":[\#(key)]}"# + padding).utf8))
        }
        #expect(try JSONWebKeySet(Array(#"{"keys":[\#(key)],"a:b":"\"c\":d\\"}"#.utf8)).keys.count == 1)
    }

    // MARK: The form of a token

    @Test func `a malformed token is refused with the reason, and without its text`() throws {
        let issuer = TestIssuer.ed25519
        let good = issuer.token(Self.right)
        let parts = good.split(separator: ".").map(String.init)
        let header = Array(#"{"alg":"EdDSA"}"#.utf8)
        let claims = Array(Self.right.utf8)
        let tokens: [(String, String)] = [
            ("", "three parts"), ("a", "three parts"), (good + ".", "three parts"),
            ("a.b.c.d.e", "three parts"),
            ("..", "header is no JSON"), ("§§.\(parts[1]).\(parts[2])", "header is not base64url"),
            ("\(parts[0])=.\(parts[1]).\(parts[2])", "header is not base64url"),
            ("\(parts[0]).\(parts[1])+.\(parts[2])", "claims is not base64url"),
            ("\(parts[0]).\(parts[1]).\(parts[2])/", "signature is not base64url"),
            (issuer.sign(Array("{}".utf8), claims), "names no algorithm"),
            (issuer.sign(Array(#"{"alg":5}"#.utf8), claims), "names no algorithm"),
            (issuer.sign(Array(#"{"alg":"EdDSA","kid":5}"#.utf8), claims), "kid is no text"),
            (issuer.sign(Array(#"{"alg":"none","alg":"EdDSA"}"#.utf8), claims), "repeated members"),
            (issuer.sign(Array(#"{"alg":"none","\u0061lg":"EdDSA"}"#.utf8), claims), "repeated members"),
            (issuer.sign(Array(#"{"alg":"EdDSA","crit":["exp"]}"#.utf8), claims), "(crit)"),
            (issuer.sign(Array(#"{"alg":"EdDSA","crit":[]}"#.utf8), claims), "(crit)"),
            (issuer.sign(header, Array(#"{"sub":"a","sub":"b"}"#.utf8)), "repeated members"),
            (issuer.sign(header, Array(#"{"a":{"b":1,"b":2}}"#.utf8)), "repeated members"),
            (issuer.sign(header, Array("[]".utf8)), "no JSON object"),
            (issuer.sign(header, [0xFF, 0xFE]), "no JSON object"),
            (issuer.sign(header, Array((String(repeating: "[", count: 99)).utf8)), "no JSON object"),
            (
                issuer.sign(header, Array(#"{"a":"\#(String(repeating: "x", count: 9000))"}"#.utf8)),
                "longer than 8192"
            ),
        ]
        for (token, reason) in tokens {
            do throws(Fault) {
                _ = try JSONWebToken(Array(token.utf8))
                Issue.record("taken: \(token)")
            } catch {
                #expect(error.message.contains(reason), "\(error.message) for \(token)")
                #expect(!error.message.contains("ada"))
            }
        }
    }

    @Test func `RFC 8725 3_1 none, shared secrets and unlisted algorithms are never taken`() throws {
        let issuer = TestIssuer.rsa
        var all = Self.rules
        all.algorithms = Set(SignatureAlgorithm.allCases)
        for name in ["none", "None", "HS256", "HS512", "RS1", "rs256", "", "RSA-OAEP"] {
            let token = try JSONWebToken(Array(issuer.token(Self.right, algorithm: name).utf8))
            #expect(throws: Fault.self) { try all.algorithm(of: token) }
        }
        let token = try JSONWebToken(Array(issuer.using(.rs512).token(Self.right).utf8))
        #expect(try all.algorithm(of: token) == .rs512)
        #expect(throws: Fault.self) { try Self.rules.algorithm(of: token) }
    }

    @Test func `key confusion: a token that is signed with the public key as a secret is not taken`() throws {
        // The attacker knows the public key in each form.
        let key = try Self.set([TestIssuer.rsa.key("a")]).keys[0]
        let header = TestIssuer.base64URL(Array(#"{"alg":"HS256","kid":"a"}"#.utf8))
        let signed = header + "." + TestIssuer.base64URL(Array(Self.right.utf8))
        let secret = try #require(TestIssuer.rsa.members.last?.1.string)
        let code = try #require(
            HashFunction.sha256.authenticationCode(key: Array(secret.utf8), Array(signed.utf8)))
        let token = try JSONWebToken(Array("\(signed).\(TestIssuer.base64URL(code))".utf8))
        #expect(throws: Fault.self) { try Self.rules.algorithm(of: token) }
        for algorithm in SignatureAlgorithm.allCases { #expect(!token.isSigned(by: key, algorithm)) }
    }

    // MARK: Claims

    @Test func `right claims give the name and the end`() throws {
        let holder = try Self.rules.check(try Self.claims(Self.right), now: Self.now)
        #expect(holder == TokenRules.Holder(name: "ada", end: 1_000_090))
        #expect(try Self.rules.check(try Self.claims(Self.right), now: 1_000_089.9).name == "ada")
        let list = Self.right.replacing(#""shop""#, with: #"["x","other"]"#)
        #expect(try Self.rules.check(try Self.claims(list), now: Self.now).name == "ada")
        let begun = Self.right.replacing(#""sub""#, with: #""nbf":1000030,"sub""#)
        #expect(try Self.rules.check(try Self.claims(begun), now: Self.now).name == "ada")
        let fraction = Self.right.replacing("1000060", with: "1000060.5")
        #expect(try Self.rules.check(try Self.claims(fraction), now: Self.now).end == 1_000_090.5)
    }

    @Test(arguments: [
        ("1000060", "999970", "expired"), ("1000060", "\"1000060\"", "exp is no number"),
        ("1000060", "null", "exp is no number"), (#""exp":1000060,"#, "", "no time of expiry"),
        ("1000060", "1e999", "exp"), (#""sub":"ada""#, #""sub":"ada","nbf":1000031"#, "not valid yet"),
        (#""sub":"ada""#, #""sub":"ada","nbf":"x""#, "nbf is no number"),
        ("shop", "else", "another audience"), (#""shop""#, "[]", "another audience"),
        (#""shop""#, "5", "another audience"), (#""aud":"shop","#, "", "another audience"),
        ("issuer.example", "issuer.example/", "another issuer"),
        (#""iss":"https://issuer.example","#, "", "another issuer"),
        (#""iss":"https://issuer.example""#, #""iss":["https://issuer.example"]"#, "another issuer"),
        (#""ada""#, #""""#, "name its client"), (#""ada""#, "5", "name its client"),
        (#","sub":"ada""#, "", "name its client"),
    ])
    func `wrong claims are refused with the reason`(old: String, new: String, reason: String) throws {
        let text = Self.right.replacing(old, with: new)
        #expect(text != Self.right)
        guard let claims = try? Self.claims(text) else { return }
        do throws(Fault) {
            _ = try Self.rules.check(claims, now: Self.now)
            Issue.record("taken")
        } catch { #expect(error.message.contains(reason), "\(error.message)") }
    }

    @Test func `claims that are required have to be there, with their value`() throws {
        let claims = try Self.claims(
            #"{"iss":"https://issuer.example","aud":"shop","exp":1000060,"sub":"ada","scope":"read write","#
                + #""groups":["staff","a b"],"admin":true,"level":3,"empty":null}"#)
        func isTaken(_ required: TokenRules.Required...) -> Bool {
            var rules = Self.rules
            rules.required = required
            return (try? rules.check(claims, now: Self.now)) != nil
        }
        #expect(isTaken(.present("groups"), .value("groups", "staff"), .value("scope", "write")))
        #expect(isTaken(.value("admin", true), .value("level", 3), .value("scope", "read write")))
        #expect(!isTaken(.present("email")) && !isTaken(.present("empty")) && !isTaken(.value("groups", "a")))
        #expect(!isTaken(.value("scope", "rea")) && !isTaken(.value("admin", "true")))
        #expect(!isTaken(.value("level", "3")) && !isTaken(.value("groups", "a"), .present("admin")))
    }
}
