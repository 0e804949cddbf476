import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct CryptoTests {
    @Test(arguments: [
        // FIPS 180-4's examples, RFC 4231 4.2 and 4.3.
        ("sha256('abc')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("sha256('')", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (
            "hmac_sha256(('\\x0b'):rep(20), 'Hi There')",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "hmac_sha256('Jefe', 'what do ya want for nothing?')",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        // RFC 1321 A.5, RFC 3174 7.3, RFC 2202 3, RFC 4231 4.3.
        ("digest('md5', 'abc')", "900150983cd24fb0d6963f7d28e17f72"),
        ("digest('sha1', 'abc')", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("hmac('sha1', 'Jefe', 'what do ya want for nothing?')", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (
            "hmac('sha384', 'Jefe', 'what do ya want for nothing?')",
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
        ),
        ("hmac_sha256('', '')", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `digests are bytes`(call: String, hex: String) throws {
        try expect("print(rest.hex.encode(rest.crypto.\(call)))", prints: [hex])
    }

    @Test func `a script signs, and verifies with a certificate`() throws {
        try expect(
            """
            local key, certificate = [[\(TestCertificates.serverKey)]], [[\(TestCertificates.server)]]
            local signature = rest.crypto.sign("ES256", key, "hello")
            print(#signature, rest.crypto.verify("ES256", certificate, "hello", signature))
            print(rest.crypto.verify("ES256", certificate, "hullo", signature))
            print(select(2, pcall(rest.crypto.sign, "RS256", key, "hello")))
            print(select(2, pcall(rest.crypto.sign, "none", key, "hello")))
            print(select(2, pcall(rest.crypto.digest, "sha-1", "hello")))
            """,
            prints: [
                "64\ttrue", "false",
                "bad argument #2 'key' to 'rest.crypto.sign' (RS256 takes an RSA key of 2048 to 8192 bits, in PEM)",
                "bad argument #1 'algorithm' to 'rest.crypto.sign' (there are RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA)",
                "bad argument #1 'hash' to 'rest.crypto.digest' (it is md5, sha1, sha256, sha384 or sha512)",
            ])
    }

    @Test(arguments: [
        ("#rest.crypto.random_bytes(65536)", "65536"),
        ("rest.crypto.random_bytes(16) == rest.crypto.random_bytes(16)", "false"),
        ("rest.crypto.uuid():match('^%x+%-%x+%-4%x%x%x%-[89ab]%x%x%x%-%x+$') ~= nil", "true"),
        ("rest.crypto.uuid() == rest.crypto.uuid()", "false"),
        ("rest.crypto.constant_time_equal('ab', 'ab')", "true"),
        ("rest.crypto.constant_time_equal('ab', 'ac')", "false"),
        ("rest.crypto.constant_time_equal('ab', 'abc')", "false"),
        ("rest.crypto.constant_time_equal('', '')", "true"),
        ("rest.hex.encode('\\0\\255a')", "00ff61"), ("rest.hex.decode('00fF61') == '\\0\\255a'", "true"),
        ("rest.hex.decode('')", ""), ("rest.hex.decode('0')", "nil\tnot pairs of hexadecimal digits"),
        ("rest.hex.decode('0g')", "nil\tnot pairs of hexadecimal digits"),
        ("rest.hex.decode('0x')", "nil\tnot pairs of hexadecimal digits"),
    ])
    func `values in, values out`(source: String, expected: String) throws {
        try expect("print(\(source))", prints: [expected])
    }

    @Test(arguments: [
        (
            "rest.crypto.sha256()",
            "bad argument #1 'bytes' to 'rest.crypto.sha256' (string expected, got no value)"
        ),
        ("rest.crypto.random_bytes(0)", "bad argument #1 'count' to 'rest.crypto.random_bytes' (1 to 65536)"),
        (
            "rest.crypto.sha256(('x'):rep((64 << 20) + 1))",
            "bad argument #1 'bytes' to 'rest.crypto.sha256' (64 MiB at most in one call)"
        ),
        ("rest.crypto.sha1('')", "unknown field 'sha1' on rest.crypto"),
        (
            "rest.auth.basic('a')",
            "bad argument #2 'password' to 'rest.auth.basic' (string expected, got no value)"
        ),
        (
            "rest.auth.basic('a:b', 'c')",
            "bad argument #1 'user' to 'rest.auth.basic' (a user's name has no colon, which would end it (RFC 7617))"
        ),
    ])
    func `wrong calls are reported`(source: String, message: String) throws {
        let error = try #require(loadError("\n" + source))
        #expect(error.hasPrefix("2: " + message))
    }

    @Test func `decorators of rest.auth send credentials`() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/**") { request in
            let value = request.headers["Authorization"] ?? "-"
            guard request.url.hasSuffix("digest"), !value.hasPrefix("Digest ") else {
                return .text(200, value)
            }
            let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
            return .response(401, headers: Headers([("WWW-Authenticate", challenge)]))
        }
        try fixture.load(
            """
            local digest = rest.auth.digest("u", "p")
            api:configure("/basic", function(c) c:decorate_requests(rest.auth.basic("u", "p")) end)
            api:configure("/digest", function(c) c:decorate_requests(digest) end)
            api:configure("/in/digest", function(c) c:decorate_requests(rest.auth.digest("u", "p")) end)
            rest.spawn(function()
              print(api:resource("basic"):get())
              for _, path in ipairs { "digest", "digest", "in/digest" } do
                print((api:resource(path):load():await().text:gsub("cnonce=.*", ""):gsub("response=%S+ ", "")))
              end
              api:invalidate_configuration()
              print(api:resource("in/digest"):load():await().text:match("nc=%d+"))
            end)
            """)
        fixture.close()
        let answer =
            #"Digest username="u", realm="r", nonce="n", uri="/v1/%s", algorithm=SHA-256, qop=auth, nc=0000000%n, "#
        func line(_ path: String, _ number: Int) -> String {
            answer.replacing("%s", with: path).replacing("%n", with: String(number))
        }
        #expect(
            fixture.lines == [
                "Basic dTpw", line("digest", 1), line("digest", 2), line("in/digest", 1), "nc=00000002",
            ])
    }
}
