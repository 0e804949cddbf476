import RestClient
import Testing

/// The content of blocks for endpoints and calls, and its effect.
struct BuilderTests {
    private func endpoint() async throws -> Endpoint { try await StubbedService().service.endpoint("e") }

    @Test func `blocks take if, switch, for, optional and nested values`() async throws {
        let endpoint = try await endpoint()
        enum Order: String, QueryValueConvertible { case newest, oldest }
        func list(_ order: Order?, limit: Int?, isVerbose: Bool) -> Call<Tree> {
            endpoint.get("list") {
                if isVerbose { Header("X-Verbose", "1") } else { Header("X-Verbose", "0") }
                switch order {
                case .newest?: Query("order", Order.newest)
                case let other?: Query("order", other.rawValue)
                case nil: QueryItems {}
                }
                limit.map { Query("limit", $0) }
                for number in 1...2 where isVerbose { Query("n", number) }
                if #available(macOS 15, *) { Query("available") }
                CallProperties {
                    Query("nested", true)
                    QueryItems { Query("deep", 1.5) }
                }
            }
        }
        #expect(
            list(.newest, limit: 5, isVerbose: true).url
                == "https://api.test/v1/e/list?order=newest&limit=5&n=1&n=2&available&nested=true&deep=1.5")
        let plain = list(nil, limit: nil, isVerbose: false)
        #expect(plain.url == "https://api.test/v1/e/list?available&nested=true&deep=1.5")
        #expect(plain.headers?["X-Verbose"] == "0")
        #expect(list(.oldest, limit: nil, isVerbose: false).url?.contains("order=oldest") == true)
    }

    @Test func `37.8 a query in a literal path is an error that shows how to write it`() async throws {
        let endpoint = try await endpoint()
        let advice = "or Path(text) if the '?' belongs to the path"
        #expect(
            endpoint.get("users?page=2").failure?.message
                == "a path has no query: instead of 'users?page=2' write Query(\"page\", …) in the block, "
                + advice)
        #expect(endpoint.get("users/\(1)/repos?").failure?.message.contains("Query(\"name\", …)") == true)
        let text = "users?page=2"
        #expect(endpoint.get(Path(text)).url == "https://api.test/v1/e/users%3Fpage=2")
        #expect(endpoint.get("users/\(text)").url == "https://api.test/v1/e/users/users%3Fpage=2")
        await #expect(throws: RequestError.self) { try await endpoint.get("users?page=2")() }
    }

    @Test func `headers that are lists join, others are replaced`() async throws {
        let call: Call<Tree> = try await endpoint().get {
            Headers {
                Header.accept(.applicationJSON)
                ("accept", "text/plain")
                ["X-B": "2", "X-A": "1"]
                if true { Header.authorization(.basic, value: "a") }
            }
            Header.authorization(.bearer, value: "b")
        }
        let headers = try #require(call.headers)
        #expect(headers["Accept"] == "application/json, text/plain")
        #expect(headers["Authorization"] == "Bearer b")
        #expect(headers.map(\.name) == ["Accept", "X-A", "X-B", "Authorization"])
        #expect(Header.authorization(user: "a", password: "b").value == "Basic YTpi")
    }

    @Test func `values of a query are escaped, and lists have a style`() async throws {
        let endpoint = try await endpoint()
        func query(_ style: QueryStyle?) -> String? {
            let call: Call<Tree> = endpoint.get {
                style
                QueryItems {
                    ("a", "b+c d&é")
                    ("none", nil)
                    ("empty", "")
                    ("k", [1, 2])
                }
            }
            return call.url?.split(separator: "?").last.map(String.init)
        }
        #expect(query(nil) == "a=b%2Bc%20d%26%C3%A9&none&empty=&k=1&k=2")
        #expect(query(.comma)?.hasSuffix("&k=1,2") == true)
        #expect(query(.brackets)?.hasSuffix("&k%5B%5D=1&k%5B%5D=2") == true)
        let raw: Call<Tree> = endpoint.get { Query("q", try! EscapedText("a%2Fb")) }
        #expect(raw.url?.hasSuffix("?q=a%2Fb") == true)
    }

    @Test func `interpolated values of a path are escaped, its text is not`() async throws {
        let endpoint = try await endpoint()
        let login = "a/b c"
        let call: Call<Tree> = endpoint.get("users/\(login)/repos-\(7)") {
            PathComponents {
                "x/y"
                [1, 2]
                ""
                String?.none
                true
            }
        }
        #expect(call.url == "https://api.test/v1/e/users/a%2Fb%20c/repos-7/x%2Fy/1/2/true")
        let text = "a/{b}"
        let fixed: Call<Tree> = endpoint.get(Path(text))
        #expect(fixed.url == "https://api.test/v1/e/a/%7Bb%7D")
    }

    @Test(arguments: ["..", ".", ""]) func `a value that would lead elsewhere can't be sent`(
        value: String
    ) async throws {
        let call: Call<Tree> = try await endpoint().get("users/\(value)")
        let code = try #require(call.failure).code
        #expect(code == (value.isEmpty ? .emptyValue : .dotSegment))
    }

    @Test func `a body has the content type of its kind, unless it says another`() async throws {
        let endpoint = try await endpoint()
        func sent(@BodyBuilder _ body: () -> Body) -> (String?, String?) {
            let call: Call<Tree> = endpoint.post { Body(body) }
            return (
                call.body?.bytes.map { String(decoding: $0, as: UTF8.self) }, call.headers?["Content-Type"]
            )
        }
        #expect(sent { Person(name: "x") } == (#"{"name":"x"}"#, "application/json"))
        #expect(sent { ["key": "value"] } == (#"{"key":"value"}"#, "application/json"))
        #expect(sent { ["name": "v", "ok": false] } == (#"{"name":"v","ok":false}"#, "application/json"))
        #expect(sent { "Hello" } == ("Hello", "text/plain; charset=utf-8"))
        #expect(sent { [0x41] as [UInt8] } == ("A", "application/octet-stream"))
        #expect(sent { Body([0x41] as [UInt8], type: "image/png") } == ("A", "image/png"))
        #expect(sent { Body(form: [("b", "1"), ("a", "x y")]) }.0 == "b=1&a=x%20y")
        #expect(sent {} == (nil, nil))
        #expect(
            sent {
                Body(
                    Person(name: "x"), encoder: TreeEncoder(keys: .snakeCase), type: "application/vnd.x+json")
            }
            .1 == "application/vnd.x+json")
    }

    @Test func `the last body wins over an inherited one, and two in a block are an error`() async throws {
        let parent = try await endpoint().endpoint { Body { "parent" } }
        let child: Call<Tree> = parent.post { Body { "child" } }
        #expect(child.body?.bytes == Array("child".utf8))
        let none: Call<Tree> = parent.post { Body {} }
        #expect(none.body == nil && none.headers?.contains("Content-Type") == false)
        let two: Call<Tree> = parent.post {
            Body { "a" }
            Body { "b" }
        }
        #expect(two.failure?.code == .severalBodies)
        let several: Call<Tree> = parent.post {
            Body {
                "a"
                "b"
            }
        }
        #expect(several.failure?.code == .severalBodies)
    }

    @Test func `endpoints nest, and each level adds`() async throws {
        let api = try await StubbedService(baseURL: "https://api.test/v1?s=0")
        let service = try api.service.endpoint {
            Header(.accept, "s")
            Query("s", 1)
            Path("sp")
        }
        let users = try service.endpoint("users/") {
            Header(.accept, "e")
            Query("e", 2)
        }
        let nested = try users.endpoint("/a b/c") { Query("n", 3) }
        let call: Call<Tree> = nested.get {
            Header(.accept, "r")
            Query("r", 4)
            Path("rp")
        }
        #expect(call.url == "https://api.test/v1/users/a%20b/c/sp/rp?s=0&s=1&e=2&n=3&r=4")
        #expect(call.headers?["Accept"] == "s, e, r")
        #expect(nested.url == "https://api.test/v1/users/a%20b/c?s=0")
    }

    @Test func `an endpoint that can't be is an error where it is made`() async throws {
        let service = try await StubbedService().service
        #expect(throws: DefinitionError.self) { try service.endpoint("a/../b") }
        #expect(throws: DefinitionError.self) { try service.endpoint("a") { Header("X", "a\nb") } }
        #expect(throws: DefinitionError.self) { try Endpoint(url: "example.com") }
    }
}
