#if canImport(FoundationEssentials)
    // The engine doesn't link it; a program may, and the types that it has are what is tested here.
    import FoundationEssentials
    import RestEngine
    import Testing

    private struct Post: Codable, Equatable {
        var at: Date
        var url: URL
        var last: Date?
    }

    @Suite struct `Types of Foundation` {
        private let time = Date(timeIntervalSince1970: 1_781_857_800)

        @Test(arguments: [1_781_857_800, "2026-06-19T08:30:00Z", "2026-06-19T10:30:00.000+02:00"] as [Tree])
        func `a date is read from Unix seconds and from text`(at: Tree) throws {
            let post = try TreeDecoder().decode(Post.self, from: ["at": at, "url": "https://a.test/b?c"])
            #expect(post == Post(at: time, url: try #require(URL(string: "https://a.test/b?c"))))
        }

        @Test func `dates in lists and dictionaries are read too`() throws {
            #expect(try TreeDecoder().decode([Date?].self, from: [1_781_857_800, .null]) == [time, nil])
            #expect(try TreeDecoder().decode([String: Date].self, from: ["a": 1_781_857_800]) == ["a": time])
        }

        @Test func `what is no date is told`() {
            #expect(
                throws: CodingError(
                    type: "Array<Date>", path: "[0]",
                    message: "expected a time such as 2026-06-19T08:30:00Z, got 'June'")
            ) { try TreeDecoder().decode([Date].self, from: ["June"]) }
            #expect(
                throws: CodingError(type: "Date", message: "expected a time, got boolean")
            ) { try TreeDecoder().decode(Date.self, from: true) }
        }

        @Test func `they are written as APIs want them`() throws {
            let base = URL(string: "https://a.test/x/y")
            let post = Post(at: time, url: try #require(URL(string: "../z", relativeTo: base)), last: time)
            var encoder = TreeEncoder()
            #expect(
                try encoder.encode(post)
                    == [
                        "at": "2026-06-19T08:30:00Z", "url": "https://a.test/z",
                        "last": "2026-06-19T08:30:00Z",
                    ])
            encoder.dates = .unixSeconds
            #expect(try encoder.encode([time]) == [1_781_857_800.0])
            #expect(throws: CodingError.self) {
                try TreeEncoder().encode(Date.distantFuture.addingTimeInterval(1e12))
            }
        }

        @Test func `a tree goes through a coder of JSON text`() throws {
            let tree: Tree = ["a": [1, 1.5, .null, true, "x", [:], []]]
            let text = try JSONEncoder().encode(tree)
            #expect(try JSONDecoder().decode(Tree.self, from: text) == tree)
        }
    }
#endif
