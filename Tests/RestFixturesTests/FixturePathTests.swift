import Testing

@testable import RestFixtures

struct FixturePathTests {
    @Test(arguments: [
        ("/", "/"), ("/users", "/users"), ("/users/", "/users"), ("/users/octocat.json", "/users/octocat"),
        ("/users/index", "/users"), ("/users/index.json", "/users"), ("/index.json", "/"),
        ("/a%20b/%C3%A9", "/a%20b/%C3%A9"), ("/logo.png", "/logo.png"), ("/a+b", "/a%2Bb"),
    ])
    func `several spellings are one place`(encoded: String, expected: String) {
        #expect(FixturePath(encoded: encoded)?.encoded == expected)
    }

    @Test(arguments: [
        "", "users", "/..", "/users/../..", "/users/%2e%2e/x", "/.%2e/x", "/users/.", "/.protected",
        "/a/.git/config",
        "/users//octocat", "//etc/passwd", "/a%2Fb", "/a%2f..%2fb", "/a%00b", "/a%", "/a%4", "/a%zz", "/%FF",
        "/.json",
    ])
    func `no path leaves the folder or names a hidden file`(encoded: String) {
        #expect(FixturePath(encoded: encoded) == nil)
    }

    @Test(arguments: ["", ".", "..", "a/b", "index", "x.json", ".x"])
    func `an id that could not be asked for is no name`(id: String) {
        #expect(FixturePath(["users"]).appending(id) == nil)
    }

    @Test(arguments: [
        ("private/**", "/private", true), ("private/**", "/private/a/b", true),
        ("private/**", "/privateer", false),
        ("/users/*/keys", "/users/octocat/keys", true), ("users/*", "/users/a/b", false),
        ("Users/*", "/users/A", true),
        ("**/keys", "/keys", true), ("**/keys", "/a/b/keys", true), ("a/**/z", "/a/z", true),
        ("a/**/z", "/a/b/y", false),
        ("*.png", "/logo.png", true), ("l?go*", "/logo.png", true), ("l?go", "/lgo", false),
        ("a*b*c", "/axxbxxbc", true),
        ("**", "/", true), ("*", "/", false),
    ])
    func `a glob matches names, not parts of the path`(glob: String, path: String, expected: Bool) throws {
        #expect(try FixtureGlob(glob).matches(#require(FixturePath(encoded: path))) == expected)
    }

    @Test func `globs are read by line, without comments`() {
        let globs = FixtureGlob.parse("# keys\n\n  /users/*/keys \r\n**/secret\n")
        #expect(globs.map(\.text) == ["/users/*/keys", "**/secret"])
    }
}
