import TestSupport
import Testing

@testable import RestEngine

struct AuthenticationChallengeTests {
    private func read(_ values: String...) -> [String] {
        let headers = Headers(values.map { ("WWW-Authenticate", $0) })
        return AuthenticationChallenge.list(in: headers).map { challenge in
            let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return ([challenge.scheme] + [challenge.token].compactMap { $0 } + parameters).joined(
                separator: " ")
        }
    }

    @Test func `challenges, parameters and tokens are distinguished by what follows a name`() {
        // RFC 9110 11.6.1.
        #expect(
            read(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#)
                == ["basic realm=simple", #"newauth realm=apps title=Login to "apps" type=1"#])
        #expect(
            read("Negotiate", "NTLM TlRMTVNTUAACAA==, Basic realm=\"a\"")
                == ["negotiate", "ntlm TlRMTVNTUAACAA==", "basic realm=a"])
        #expect(read("Negotiate, Digest realm=x,nonce=y") == ["negotiate", "digest nonce=y realm=x"])
        #expect(read(" , ,Basic  REALM = \"a, b\" ,, charset=UTF-8 ,") == ["basic charset=UTF-8 realm=a, b"])
        #expect(read("Bearer") == ["bearer"])
        #expect(read("Digest qop=\"auth,auth-int\", nonce=\"a==\"") == ["digest nonce=a== qop=auth,auth-int"])
    }

    @Test func `of one parameter the first counts, and what is broken ends its field alone`() {
        #expect(read("Basic realm=a, realm=b") == ["basic realm=a"])
        #expect(read("Basic realm=a, Digest nonce=\"open", "Bearer") == ["basic realm=a", "bearer"])
        #expect(read("Basic realm=\"a\"b, Bearer") == [])
        #expect(read("", "=", "\"", "Basic;x", "Basic realm=\u{1}") == [])
    }

    @Test func `there is an end to what is read`() {
        let many = (0..<100).map { "S\($0)" }.joined(separator: ", ")
        #expect(read(many, many).count == 32)
        let long = "Digest " + (0..<100).map { "p\($0)=1" }.joined(separator: ", ")
        #expect(read(long) == [])
        #expect(read("Basic realm=\"" + String(repeating: "a", count: 20_000) + "\"") == [])
    }

    @Test func `any text is read, and what was read says the same again`() {
        var generator = SeededRandom(seed: 1)
        for _ in 0..<20_000 {
            let text = generator.text(of: "ab=\"\\, \t~é", upTo: 24)
            for challenge in AuthenticationChallenge.list(in: Headers([("WWW-Authenticate", text)])) {
                let list = challenge.parameters.map {
                    "\($0.key)=\(AuthenticationChallenge.quoted($0.value))"
                }
                let again =
                    ([challenge.scheme + (challenge.token.map { " " + $0 } ?? "")] + [
                        list.joined(separator: ", ")
                    ])
                    .filter { !$0.isEmpty }.joined(separator: " ")
                #expect(
                    AuthenticationChallenge.list(in: Headers([("WWW-Authenticate", again)])) == [challenge])
            }
        }
    }

    @Test(arguments: [
        ("", "it sent no challenge that can be understood"),
        ("Bearer, Basic realm=a", "it asks for bearer, basic, not Digest"),
        ("Digest realm=a", "its Digest challenge lacks realm or nonce"),
        ("Digest realm=a, nonce=b, qop=token", "it asks for Digest with qop=\"token\""),
        (
            "Digest realm=a, nonce=b, qop=auth, algorithm=SHA-1",
            "it asks for Digest with the algorithm 'SHA-1'"
        ),
        ("Digest realm=a, nonce=b, algorithm=SHA-256", "its Digest challenge lacks qop"),
    ])
    func `what can't be answered is refused with a reason`(field: String, reason: String) {
        let challenges = AuthenticationChallenge.list(in: Headers([("WWW-Authenticate", field)]))
        #expect(throws: DigestChallenge.Fault(message: reason)) {
            try DigestChallenge.first(in: challenges)
        }
    }
}
