import TestSupport
import Testing

@testable import RestEngine

@EngineActor
@Suite(.leakChecked)
struct ExplanationTests {
    private let fixture = EngineFixture(standardTransformers: [.json])

    private func add(
        _ glob: String, _ description: String, methods: Set<Method>? = nil, origin: String? = "main.lua:1",
        _ apply: @escaping @EngineActor (ConfigurationDraft) throws -> Void
    ) throws {
        fixture.service.configure(
            ConfigurationEntry(
                pattern: try .glob(glob, base: fixture.service.baseURL), methods: methods,
                description: description, origin: origin, apply: apply))
    }

    @Test func `14.3 blocks in the order of adding, each with what it changed`() throws {
        try add("**", "first") {
            $0.configuration.expirationTime = .seconds(5)
            $0.configuration.headers.set("Accept", "a/b")
        }
        try add("/other", "elsewhere") { _ in }
        try add("/users/*", "second", methods: ["GET"]) {
            $0.configuration.expirationTime = .seconds(60)
            $0.configuration.headers.set("accept", values: ["a/b", "c/d"])
            $0.configuration.timeouts.connect = .seconds(0.5)
        }
        try add("/users/*", "third", methods: ["POST"]) { _ in }
        try add("**", "fourth") { $0.configuration.headers.remove("Accept") }
        let made = fixture.service.explain("/users/1")
        #expect(made.url == "https://api.test/v1/users/1")
        #expect(made.blocks.map(\.description) == ["standard json transformer", "first", "second", "fourth"])
        #expect(made.blocks.map(\.origin) == [nil, "main.lua:1", "main.lua:1", "main.lua:1"])
        #expect(
            made.blocks[1].changes == [
                .value("expiration_time", before: 30, after: 5),
                .value("headers.Accept", before: nil, after: "a/b"),
            ])
        #expect(
            made.blocks[2].changes == [
                .value("expiration_time", before: 5, after: 60),
                .value("timeouts.connect", before: 10, after: 0.5),
                .value("headers.accept", before: "a/b", after: ["a/b", "c/d"]),
            ])
        #expect(made.blocks[3].changes == [.value("headers.accept", before: ["a/b", "c/d"], after: nil)])
        #expect(made.otherMethods.map(\.description) == ["third"])
        #expect(made.otherMethods.first?.methods == ["POST"])
        #expect(made.failures.isEmpty)
    }

    @Test func `many blocks are explained in parts, to the same end`() throws {
        let scheduler = Scheduler(clock: HastyClock())
        let engine = Engine(transport: StubTransport(scheduler: scheduler), scheduler: scheduler)
        let service = Service(engine: engine, name: "api", baseURL: try BaseURL("https://api.test"))
        for number in 0..<50 {
            service.configure("**") {
                $0.headers.set("X-Secret", "s3cret-\(number)")
                $0.headers.add("X-Number-\(number)", "s3cret-49")
            }
        }
        let url = try #require(URLText("https://api.test/a"))
        var mask = SecretMask()
        mask.names = ["X-Secret"]
        var made: Explanation?
        service.explain(url, method: .get, mask: mask) { made = $0 }
        #expect(made == nil)
        var turns = 0
        while made == nil, turns < 1000 {
            scheduler.runTick()
            turns += 1
        }
        #expect(turns > 3)
        #expect(made?.tree.description == service.explain(url, mask: mask).tree.description)
        #expect(made?.blocks.last?.changes.count == 2)
        #expect(made?.tree.description.contains("s3cret") == false)
    }

    @Test func `14.17, 16.4 stages: order, transformers and caches`() throws {
        try add("**", "order") {
            try $0.configuration.pipeline.setOrder(["parsing", "mine"])
            $0.configuration.pipeline["mine"].cache = MemoryCache()
            $0.configuration.pipeline["model"].add(TextTransformer())
        }
        try add("**", "replaced") {
            $0.configuration.pipeline["parsing"].removeTransformers()
            $0.configuration.pipeline["parsing"].add(ImageTransformer(), contentTypes: ["image/*"])
        }
        let made = fixture.service.explain("/x")
        let json = Explanation.Part(description: "json", origin: nil, contentTypes: ["*/json", "*/*+json"])
        #expect(made.blocks[0].changes == [.added("pipeline.parsing", json)])
        #expect(
            made.blocks[1].changes.contains(
                .value("pipeline.mine.cache", before: nil, after: "memory cache")))
        #expect(
            made.blocks[2].changes == [
                .removed("pipeline.parsing", json),
                .added(
                    "pipeline.parsing", .init(description: "image", origin: nil, contentTypes: ["image/*"])),
            ])
        #expect(made.stages.map(\.name) == ["parsing", "mine", "model"])
        #expect(made.stages.map(\.isListed) == [true, true, false])
        #expect(made.stages.map(\.cache) == [nil, "memory cache", nil])
    }

    @Test func `15.1 the request after its mutators, with the line of each; nothing is sent or started`()
        throws
    {
        let journal = Journal()
        try add("**", "edits") {
            $0.configuration.headers.set("X", "1")
            $0.configuration.mutators.append(
                { draft in
                    draft.headers.set("X", "2")
                    draft.body = [1, 2, 3]
                }, origin: "main.lua:7")
            $0.configuration.decorators.append(
                { _, request in
                    journal.note("decorated")
                    return request
                }, origin: "main.lua:9")
        }
        let made = fixture.service.explain("/x?page=2")
        #expect(made.draft?.url == "https://api.test/v1/x?page=2")
        #expect(made.draft?.headers.map(\.value) == ["2"])
        #expect(made.draft?.bodyBytes == 3)
        #expect(made.mutators.map(\.origin) == ["main.lua:7"])
        #expect(made.decorators.map(\.origin) == ["main.lua:9"])
        #expect(journal.lines.isEmpty && fixture.transport.requests.isEmpty)
        #expect(fixture.service.liveResources.isEmpty)
    }

    @Test func `14.20 decorators and stages are those of the method that is sent`() throws {
        try add("**", "turns") { $0.configuration.mutators.append { $0.method = "POST" } }
        try add("**", "posts", methods: ["POST"]) {
            $0.configuration.decorators.append({ $1 }, origin: "main.lua:3")
        }
        let made = fixture.service.explain("/x")
        #expect(made.draft?.method == "POST")
        #expect(made.decorators.map(\.origin) == ["main.lua:3"])
        #expect(made.otherMethods.map(\.description) == ["posts"])
    }

    @Test func `a block that raises ends the list, and says where`() throws {
        try add("**", "good") { $0.configuration.retryTime = .seconds(9) }
        try add("**", "bad") { _ in
            throw RequestError.CauseError(
                .scriptError(RequestError.ScriptFailure(message: "no token", file: "main.lua", line: 4)))
        }
        try add("**", "never") { $0.configuration.retryTime = .seconds(10) }
        let made = fixture.service.explain("/x")
        #expect(made.blocks.map(\.description) == ["standard json transformer", "good", "bad"])
        #expect(made.blocks.last?.failure?.message == "no token")
        #expect(made.failures.map(\.line) == [4])
        #expect(made.draft == nil)
        #expect(made.settings.first { $0.field == "retry_time" }?.value == 9)
    }

    @Test func `mutators that raise, patterns that raise, methods and hosts that are refused`() throws {
        try add("/a", "mutates") { $0.configuration.mutators.append { _ in throw CancellationError() } }
        try add("/b", "spoils") { $0.configuration.mutators.append { $0.method = "G T" } }
        #expect(fixture.service.explain("/a").failures.count == 1)
        #expect(
            fixture.service.explain("/b").failures.first?.message
                == "Cannot create request: 'G T' is not a method")
        fixture.service.refusal = { $0.string.contains("/c") ? .internal(message: "not there") : nil }
        #expect(fixture.service.explain("/c").failures.first?.message == "Request failed: not there")
        #expect(fixture.service.explain("http://").failures.count == 1)
        #expect(fixture.service.explain("https://a b/").failures.count == 1)
        fixture.service.configure(.matching { _ in throw CancellationError() }) { _ in }
        #expect(fixture.service.explain("/d").failures.count == 1)
    }

    @Test func `secrets are masked wherever they would show`() throws {
        try add("**", "tokens") {
            $0.configuration.headers.set("Authorization", "Bearer s3cret")
            $0.configuration.headers.set("Cookie", "a=s3cret")
            $0.configuration.mutators.append { $0.url += "&api_key=s3cret" }
        }
        var mask = SecretMask()
        mask.values = ["zebra"]
        try add("/x", "zebra block") { $0.configuration.headers.set("X-A", "zebra") }
        let text = fixture.service.explain("/x?token=s3cret", mask: mask).tree.description
        #expect(!text.contains("s3cret") && !text.contains("zebra"))
        #expect(text.contains("Bearer ***"))
    }

    @Test func `secrets are masked in what a block or mutator raised`() throws {
        try add("**", "tokens") { $0.configuration.headers.set("Authorization", "Bearer s3cret-token") }
        try add("/block", "raises") { _ in
            throw RequestError.CauseError(
                .scriptError(
                    RequestError.ScriptFailure(message: "s3cret-token is too old", file: "main.lua", line: 2))
            )
        }
        try add("/mutator", "raises") {
            $0.configuration.mutators.append { draft in
                draft.headers.set("X-Api-Key", "an0ther-secret")
                throw RequestError.CauseError(
                    .scriptError(RequestError.ScriptFailure(message: "an0ther-secret and s3cret-token")))
            }
        }
        #expect(fixture.service.explain("/block").failures.first?.message == "*** is too old")
        #expect(fixture.service.explain("/mutator").failures.first?.message == "*** and ***")
        fixture.service.refusal = { .internal(message: "no \($0)") }
        #expect(!fixture.service.explain("/x?token=s3cret-2").tree.description.contains("s3cret"))
    }

    @Test func `an address that is none`() {
        let bare = Service(engine: fixture.engine, name: "bare", baseURL: nil)
        #expect(
            bare.explain("/x").failures.first?.message == "the service has no base_url: give an absolute URL")
        #expect(bare.explain("https://a.test/x").failures.isEmpty)
    }

    @Test func `no field of a configuration is left out`() {
        let known = [
            "expirationSeconds", "retrySeconds", "headers", "progressSeconds", "pipeline", "timeouts",
            "maxBodyBytes", "refreshSeconds", "stream", "isTraced", "sendsRequestID", "computation", "schema",
            "redirects", "attemptRules", "isCollapsing", "sharesLoads", "mutators",
            "decorators",
        ]
        // A new field: add it to ConfigurationFacts, then here.
        #expect(Mirror(reflecting: Configuration()).children.compactMap(\.label).sorted() == known.sorted())
    }

    @Test func `the JSON form has every field of its kind`() throws {
        try add("/x", "one", methods: ["GET"]) { $0.configuration.retryTime = .seconds(2) }
        let tree = fixture.service.explain("/x").tree
        let block = try #require(tree["blocks"]?[1])
        #expect(
            block.description == #"""
                {"number":2,"description":"one","origin":"main.lua:1","pattern":"/x","methods":["GET"],"changes":[{"field":"retry_time","before":1,"after":2}],"failure":null}
                """#)
        #expect(
            tree.pairs.map(\.key) == [
                "service", "method", "url", "blocks", "other_methods", "configuration", "mutators",
                "decorators",
                "request", "stages", "failures",
            ])
    }

    @Test(arguments: [
        ("/a", "https://api.test/v1/a?k=1"), ("/a?b=2", "https://api.test/v1/a?b=2&k=1"),
        ("a?", "https://api.test/v1/a?k=1"), ("/a?b=2#c", "https://api.test/v1/a?b=2&k=1#c"),
        ("/a?u=x/y?z", "https://api.test/v1/a?k=1&u=x/y?z"), ("https://b.test/?b=2", "https://b.test/?b=2"),
    ]) func `a query that is typed goes with that of the base URL`(typed: String, url: String) {
        let service = Service(
            engine: fixture.engine, name: "keyed", baseURL: try? BaseURL("https://api.test/v1?k=1"))
        #expect(service.url(typed: typed)?.string == url)
    }

    @Test func `15.1 headers that transports write themselves are not shown`() throws {
        try add("/x", "frames") {
            $0.configuration.headers.set("Content-length", "7")
            $0.configuration.headers.set("Transfer-Encoding", "chunked")
            $0.configuration.headers.set("X-Length", "7")
        }
        #expect(fixture.service.explain("/x").draft?.headers.map(\.name) == ["X-Length"])
    }
}
