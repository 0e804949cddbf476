import Testing

@testable import RestEngine

struct PatternIndexTests {
    private let base = try? BaseURL("https://api.example/v1?key=1")

    private func index(_ globs: some Sequence<String>) throws -> PatternIndex {
        var index = PatternIndex()
        for glob in globs { index.append(try .glob(glob, base: base)) }
        return index
    }

    private func url(_ path: String) throws -> URLText {
        try #require(URLText("https://api.example/v1/" + path))
    }

    @Test func `14.3 all kinds of patterns are found in the order of registration`() throws {
        var index = PatternIndex()
        let target = try url("users/1?q")
        let patterns: [URLPattern] = [
            .predicate(0), try .glob("users/*", base: base), .all, try .regex("users"), .resource(target),
            try .glob("**", base: base), try .glob("x", base: base), .predicate(1), try .regex("^users"),
            .resource(try url("users/1")), try .glob("https://**", base: base),
        ]
        #expect(patterns.map { index.append($0) } == Array(0..<11))
        #expect(index.count == 11)
        var asked: [Int] = []
        let found = try index.matches(target) { number in
            asked.append(number)
            return number == 1
        }
        #expect(found == [1, 2, 3, 4, 5, 7, 10])
        #expect(asked == [0, 1])
    }

    @Test func `14.3 an empty index matches nothing`() throws {
        #expect(try PatternIndex().matches(url("x")) { _ in true }.isEmpty)
    }

    @Test func `14.11 the error of an expression passes`() throws {
        var index = PatternIndex()
        index.append(try .regex("(a+)+$"))
        let long = try url(String(repeating: "a", count: 3000) + "!")
        #expect(throws: PatternError.self) { try index.matches(long) { _ in true } }
    }

    /// Each shape's pattern, and a path for one of its patterns.
    private static let shapes: [(glob: String, path: String)] = [
        ("users/N", "users/N"), ("users/N/**", "users/N/a/b"), ("users/*/N", "users/7/N"), ("**/N", "a/b/N"),
        ("**/N/**", "a/N/b"), ("**/N/*", "a/N/b"), ("*/*/N/*", "a/b/N/c"), ("N*", "Nx"), ("*N", "xN"),
        ("**N", "a/xN"),
        ("N**", "N/x"), ("users/*/N*", "users/7/Nx"), ("users/*x/N/*", "users/7x/N/8"),
        ("a/**/N/b", "a/x/N/b"),
        ("items/N/*.json", "items/N/x.json"), ("common**/N", "commonx/N"), ("a**/N/x", "ab/N/x"),
        ("v?/N", "v2/N"),
        ("long/common/prefix*N", "long/common/prefixN"), ("https://N.example/**", "N"),
        ("users/N/*/x/?", "users/N/1/x/2"),
    ]

    @Test(arguments: shapes.indices)
    func `design: one URL among thousands of patterns costs at most three times one among 10`(shape: Int)
        throws
    {
        let (glob, path) = Self.shapes[shape]
        let target = try url(path.replacing("N", with: "name5"))
        let steps = try [10, 2000].map { count in
            let globs = (0..<count).map { glob.replacing("N", with: "name\($0)") }
            return try index(globs).globMatches(target)
        }
        #expect(steps[0].numbers == steps[1].numbers)
        #expect(steps[1].numbers == (glob.hasPrefix("https") ? [] : [5]))
        #expect(
            steps[1].steps <= 3 * max(steps[0].steps, 1), "\(glob): \(steps[0].steps) -> \(steps[1].steps)")
    }

    @Test func `design: a mixture of 10,000 patterns costs at most three times one of 10`() throws {
        let globs = (0..<10_000).map { number in
            Self.shapes[number % Self.shapes.count].glob.replacing(
                "N", with: "name\(number / Self.shapes.count)")
        }
        let all = try index(globs)
        let few = try index(globs.prefix(Self.shapes.count))
        for path in ["users/7/name0", "a/name0/b", "name0", "nothing/here", "users/name0/1/x/2"] {
            let steps = try (few.globMatches(url(path)).steps, all.globMatches(url(path)).steps)
            #expect(steps.1 <= 3 * steps.0, "\(path): \(steps)")
        }
    }
}
