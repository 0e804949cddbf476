import Testing

@testable import RestEngine

/// Paths with names, as computed resources have.
@Suite struct PathPatternTests {
    @Test(
        arguments: [
            ("/users/{id}", "/users/ada", ["id": "ada"]),
            ("users/{id}", "users/ada", ["id": "ada"]),
            ("/users/{id}", "/users/a%20b", ["id": "a b"]),
            ("/users/{id}", "/users/", nil),
            ("/users/{id}", "/users", nil),
            ("/users/{id}", "/users/a/b", nil),
            ("/users/{id}", "/users/a%2Fb", nil),
            ("/users/{id}", "/users/%FF", nil),
            ("/a/{x}/b/{y}", "/a/1/b/2", ["x": "1", "y": "2"]),
            ("/a/{x}/b", "/a/1/c", nil),
            ("/files/{path*}", "/files/a/b", ["path": "a/b"]),
            ("/files/{path*}", "/files/a%2Fb/%C3%A9", ["path": "a%2Fb/é"]),
            ("/files/{path*}", "/files/", ["path": ""]),
            ("/files/{path*}", "/files", nil),
            ("/x/**", "/x/a/b", [:]),
            ("/x/**", "/y", nil),
            ("/é b/c", "/%C3%A9%20b/c", [:]),
            ("/", "/", [:]),
        ] as [(String, String, [String: String]?)])
    func `the values of names in a path`(pattern: String, path: String, values: [String: String]?) throws {
        #expect(try PathPattern(pattern).values(in: path) == values)
    }

    @Test(
        arguments: [
            ("/a/{b", "'{b' is no name"), ("/a/b}", "'b}' is no name"), ("/{}", "'{}' is no name"),
            ("/a{b}", "'a{b}' is no name"), ("/{1a}", "'{1a}' is no name"), ("/{a}/{a}", "occurs twice"),
            ("/{a*}/b", "'{a*}' before the end"), ("/**/b", "'**' before the end"),
            ("/a*", "'*' in a segment"), ("/a?b", "query or fragment"), ("/a#b", "query or fragment"),
            ("/a/../b", "segment '.' or '..'"), ("/%2e%2E/b", "segment '.' or '..'"),
        ])
    func `a path that matches nothing is an error`(text: String, fault: String) {
        let error = #expect(throws: PatternError.self) { try PathPattern(text) }
        #expect(error?.code == .badPath)
        #expect(error.map { "\($0)" }?.contains(fault) == true)
    }

    @Test func `its glob matches the same paths`() {
        let files: PathPattern = "/users/{id}/files/{path*}"
        #expect(files.glob == "/users/*/files/**" && files.names == ["id", "path"])
        let all: PathPattern = "a/**"
        #expect(all.glob == "/a/**" && all.names.isEmpty)
    }
}
