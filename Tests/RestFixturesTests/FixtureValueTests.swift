import Platform
import RestEngine
import Testing

@testable import RestFixtures

struct FixtureValueTests {
    @Test(arguments: [
        ("logo.PNG", "image/png"), ("a.tar.gz", "application/gzip"),
        ("page.html", "text/html; charset=utf-8"),
        ("LICENSE", "application/octet-stream"), ("x.", "application/octet-stream"),
        ("data.json", "application/json"),
    ])
    func `a file's extension gives its type`(name: String, type: String) {
        #expect(FileContentType.of(name) == type)
    }

    @Test(arguments: [
        (#"TAG"#, true), (#""x", TAG"#, true), ("W/TAG", true), ("*", true), (#""x""#, false), ("", false),
    ])
    func `If-None-Match compares weakly, with any of a list`(field: String, expected: Bool) {
        let validators = FixtureValidators(Array("content".utf8), modified: 0)
        let value = String(
            field.split(separator: "TAG", omittingEmptySubsequences: false).joined(separator: validators.etag)
        )
        #expect(validators.isCurrent(Headers([("If-None-Match", value)])) == expected)
    }

    @Test func `another content has another tag`() {
        let tags = ["", "a", "b", "ab", "ba"].map { EntityTag.strong(Array($0.utf8)) }
        #expect(Set(tags).count == tags.count)
        #expect(
            FixtureValidators(Array("a".utf8), modified: 0).etag == #""a96faf705af16834e6c632b61e964e1f""#)
    }

    @Test func `a token is valid until its time is over, and none is valid before it is issued`() {
        var tokens = FixtureTokens(lifetime: 60, random: { 0xAB })
        let token = "00000000000000ab00000000000000ab"
        #expect(!tokens.isValid(token, at: 100))
        #expect(tokens.issue(at: 100) == token)
        #expect(tokens.isValid(token, at: 159.9))
        #expect(!tokens.isValid(token, at: 160))
        tokens.forgetAll()
        #expect(!tokens.isValid(token, at: 100))
    }

    @Test(arguments: [
        ("127.0.0.1:0", "127.0.0.1:0"), ("[::1]:8080", "[::1]:8080"), ("localhost:65535", "127.0.0.1:65535"),
    ])
    func `an address has a host and a port`(text: String, expected: String) throws {
        #expect(try ListenAddress(text).description == expected)
    }

    @Test(arguments: ["", "8080", "host:", ":80", "::1:80", "host:65536", "host:-1", "host:http"])
    func `other addresses are refused`(text: String) {
        #expect(throws: ListenAddress.Fault.self) { try ListenAddress(text) }
    }
}
