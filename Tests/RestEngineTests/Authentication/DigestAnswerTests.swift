import Testing

@testable import RestEngine

struct DigestAnswerTests {
    private func answer(
        _ field: String, user: String = "Mufasa", password: String = "Circle of Life", method: String = "GET",
        target: String = "/dir/index.html", body: [UInt8]? = [], count: UInt32 = 1,
        clientNonce: String = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    ) throws -> [String: String] {
        let challenges = AuthenticationChallenge.list(in: Headers([("WWW-Authenticate", field)]))
        let answer = DigestAnswer(
            user: user, password: password, challenge: try DigestChallenge.first(in: challenges),
            method: method,
            target: target, body: body, count: count, clientNonce: clientNonce)
        // Credentials have the form of a challenge (RFC 9110 11.4).
        let read = AuthenticationChallenge.list(in: Headers([("WWW-Authenticate", try answer.header())]))
        #expect(read.map(\.scheme) == ["digest"])
        return read.first?.parameters ?? [:]
    }

    /// RFC 7616 3.9.1, with its nonces.
    private static let challenge = """
        Digest realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
        opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ("SHA-512-256", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
        ("sha-512-256-sess", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
    ])
    func `the digests of RFC 7616`(algorithm: String, response: String) throws {
        let fields = try answer(Self.challenge + ", algorithm=\(algorithm)")
        #expect(fields["response"] == response)
        #expect(fields["algorithm"] == algorithm && fields["qop"] == "auth" && fields["nc"] == "00000001")
        #expect(fields["username"] == "Mufasa" && fields["uri"] == "/dir/index.html")
        #expect(fields["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
    }

    @Test func `auth-int sums up the body, and needs it at hand`() throws {
        let field = Self.challenge.replacing("auth, auth-int", with: "auth-int")
        let fields = try answer(field, method: "POST", body: Array("body".utf8), count: 31)
        #expect(fields["response"] == "e0092b339eba0e5649a2acd18f9defe3" && fields["nc"] == "0000001f")
        #expect(throws: DigestChallenge.Fault.self) { try answer(field, method: "POST", body: nil) }
    }

    @Test func `without qop it is the digest of RFC 2069, which servers with MD5 still ask for`() throws {
        let fields = try answer(
            #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#,
            password: "CircleOfLife")
        #expect(fields["response"] == "1949323746fe6a43ef61f9606e7febea")
        #expect(fields["nc"] == nil && fields["cnonce"] == nil && fields["algorithm"] == nil)
    }

    @Test func `a user is hidden where the server wants that, and has a form of its own beyond ASCII`() throws
    {
        let user = "J\u{E4}s\u{F8}n Doe"
        let field = """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", charset=UTF-8
            """
        let hidden = try answer(
            field + ", userhash=true", user: user, password: "Secret, or not?", target: "/doe.json",
            clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
        #expect(hidden["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(hidden["response"] == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
        #expect(hidden["userhash"] == "true")
        let open = try answer(field, user: user)
        #expect(open["username*"] == "UTF-8''J%C3%A4s%C3%B8n%20Doe" && open["username"] == nil)
        #expect(try answer(Self.challenge, user: "a\"b\\c")["username"] == "a\"b\\c")
    }
}
