#if canImport(FoundationEssentials)
    // The engine doesn't link this library, but programs may. These tests use its types.
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

        @Test func `what is no date is reported`() {
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

        private struct Sale: Codable, Equatable {
            var price: Decimal
            var id: UUID
            var receipt: Data
            var number: UInt64
        }

        @Test func `decimals, data, identifiers and large numbers go there and back`() throws {
            let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
            let sale = Sale(
                price: try #require(Decimal(string: "-12.340")), id: id, receipt: Data([0, 255, 16]),
                number: .max)
            let tree = try TreeEncoder(keys: .snakeCase).encode(sale)
            #expect(
                String(decoding: try tree.json(), as: UTF8.self)
                    == #"{"price":-12.34,"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","receipt":"AP8Q","number":18446744073709551615}"#
            )
            #expect(try TreeDecoder().decode(Sale.self, from: tree) == sale)
            #expect(try TreeDecoder().decode(Sale.self, from: Tree(json: try tree.json())) == sale)
        }

        @Test(arguments: [
            ("0", "0"), ("12", "12"), ("1200", "1200"), ("0.1", "0.1"), ("-0.05", "-0.05"),
            ("79228162514264337593543950335", "79228162514264337593543950335"),
            ("1e30", "1000000000000000000000000000000"),
            ("99999999.99", "99999999.99"), ("99999999999999999.99", "99999999999999999.99"),
            ("-0.00012345678901234567890123", "-0.00012345678901234567890123"),
        ])
        func `a decimal is a number of JSON`(text: String, json: String) throws {
            let decimal = try #require(Decimal(string: text))
            let encoded = try TreeEncoder().encode([decimal])
            #expect(String(decoding: try encoded.json(), as: UTF8.self) == "[\(json)]")
            #expect(try TreeDecoder().decode([Decimal].self, from: encoded) == [decimal])
        }

        @Test func `what would become another value is an error that says where`() throws {
            #expect(throws: CodingError.self) { try TreeEncoder().encode(Decimal.nan) }
            #expect(throws: CodingError.self) { try TreeDecoder().decode([Decimal].self, from: ["1"]) }
            #expect(throws: CodingError.self) { try TreeDecoder().decode([Decimal].self, from: [1e300]) }
            let long = try Tree(json: "{\"price\": 1.\(String(repeating: "3", count: 50))}")
            let error = #expect(throws: CodingError.self) {
                try TreeDecoder().decode([String: Decimal].self, from: long)
            }
            #expect(error?.path == "price" && error?.message.contains("does not fit into Decimal") == true)
            let data = #expect(throws: CodingError.self) {
                try TreeDecoder().decode([Data].self, from: ["A*=="])
            }
            #expect(data?.path == "[0]" && data?.message.contains("base64") == true)
        }

        @Test func `a tree goes through a coder of JSON text`() throws {
            let tree: Tree = ["a": [1, 1.5, .null, true, "x", [:], []]]
            let text = try JSONEncoder().encode(tree)
            #expect(try JSONDecoder().decode(Tree.self, from: text) == tree)
        }
    }
#endif
