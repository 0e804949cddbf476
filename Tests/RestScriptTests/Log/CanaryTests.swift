import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Writes one value of each kind of secret to each output of a script. They must not be seen.
@Suite(.leakChecked) @EngineActor
struct CanaryTests {
    private nonisolated static let secret = "canary-4711-canary"

    /// The texts as they arrive in a line of a log.
    private nonisolated static let texts = [
        "https://user:\(secret)@api.test/", "https://api.test/?access_token=\(secret)&page=2",
        "/base/data?access_token=\(secret)", "https://api.test/back?code=\(secret)&state=5",
        "token=\(secret)", "it said password=\(secret), and more",
        #"{"token":"\#(secret)"}"#, #"{"a":"{\"token\":\"\#(secret)\"}"}"#, #"{"token":"\#(secret)"#,
    ]

    private func logged(_ source: String) throws -> String {
        let fixture = ScriptFixture()
        try fixture.load(source)
        fixture.close()
        return fixture.log.map { entry in
            "\(entry.text) \(entry.fields) \(entry.printed?.text ?? "")"
        }.joined(separator: "\n")
    }

    @Test(arguments: texts)
    func `no secret of a text is in a line or a field of the log`(text: String) throws {
        let seen = try logged(
            "local s = [==[\(text)]==] rest.log.info(s) rest.log.warn('x', { a = s, b = { c = { s } } }) "
                + "rest.spawn(function() error(s) end)")
        #expect(seen.contains("***") && !seen.contains(Self.secret), "\(seen)")
    }

    @Test(arguments: [
        "token = s", "Authorization = s", "a = { password = s }", "a = { { api_key = s } }",
        "a = { password = s, f = print }", "a = { b = { client_secret = s, 5, f = print } }",
    ])
    func `no field with a secret's name is in the log`(field: String) throws {
        let seen = try logged("local s = '\(Self.secret)' rest.log.info('x', { \(field) })")
        #expect(seen.contains("***") && !seen.contains(Self.secret), "\(seen)")
    }

    @Test func `no password of a URL is printed, and all else is to the byte`() throws {
        let seen = try logged(
            """
            print("https://user:\(Self.secret)@api.test/a?b=@", "mailto:a@b://c", "\\xFF")
            """)
        #expect(!seen.contains(Self.secret), "\(seen)")
        #expect(seen.contains("https://***@api.test/a?b=@\tmailto:a@b://c"), "\(seen)")
    }

    @Test func `the gateway's own tokens are known secrets`() throws {
        let seen = try logged(
            """
            rest.gateway { listen = "127.0.0.1:0", auth = { bearer = "canary-bearer-0815",
              tokens = { { name = "a", token = "canary-token-0816" } } } }
            print("canary-bearer-0815") rest.log.info("with canary-token-0816")
            """)
        #expect(!seen.contains("canary-bearer") && !seen.contains("canary-token"), "\(seen)")
    }

    @Test func `codes that are no credentials stay`() {
        let mask = SecretMask.standard
        #expect(
            mask.line("code=not_found https://a.test/?code=de&x=1")
                == "code=not_found https://a.test/?code=de&x=1")
        #expect(mask.line("password = \"\(Self.secret)\" x") == "password = \"***\" x")
        #expect(mask.line("max_tokens = 5, next = \"a\"") == "max_tokens = 5, next = \"a\"")
    }
}
