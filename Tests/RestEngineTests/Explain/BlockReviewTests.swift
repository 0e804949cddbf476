import TestSupport
import Testing

@testable import RestEngine

@EngineActor
@Suite(.leakChecked)
struct BlockReviewTests {
    private let fixture = EngineFixture()

    private var findings: [String] {
        fixture.service.reviewBlocks().map { "\($0.block - 3) \($0.code.rawValue)" }
    }

    private func add(
        _ glob: String?, methods: Set<Method>? = nil,
        _ apply: @escaping @EngineActor (inout Configuration) throws -> Void
    ) throws {
        fixture.service.configure(try glob.map { try .glob($0) } ?? .all, methods: methods, apply)
    }

    // MARK: Patterns

    @Test(arguments: [
        "https://other.test/**", "http://api.test/v1/**", "https://api.test/v2/*", "/users?page=*",
        "/v1/users", "v1/users",
    ]) func `14.9 patterns that can't match below the base`(glob: String) throws {
        try add(glob) { $0.retryTime = .seconds(2) }
        #expect(findings == ["1 never_matches"])
    }

    @Test(arguments: [
        "**", "/users/*", "users", "https://api.test/**", "https://api.*/v1/users", "https://**", "/users/?",
        "**/v1/users",
        "https://api.test/v?/x",
    ]) func `14.9 patterns that can`(glob: String) throws {
        try add(glob) { $0.retryTime = .seconds(2) }
        #expect(findings == [])
    }

    @Test func `a block for no method at all`() throws {
        try add("/users/*", methods: []) { $0.retryTime = .seconds(2) }
        try add(nil, methods: []) { $0.retryTime = .seconds(2) }
        #expect(findings == ["1 never_matches", "2 never_matches"])
    }

    // MARK: Shadows

    @Test func `a block whose every setting a later one of the same or wider pattern sets`() throws {
        try add("/users/*") { $0.expirationTime = .seconds(300) }
        try add("/users/*") { $0.expirationTime = .seconds(60) }
        #expect(findings == ["1 shadowed_block"])
        try add("/other/*", methods: ["GET"]) { $0.retryTime = .seconds(7) }
        try add("/other/**") { $0.retryTime = .seconds(8) }
        #expect(findings == ["1 shadowed_block", "3 shadowed_block"])
    }

    @Test func `14.17 a transformer that a later one replaces`() throws {
        fixture.service.configureTransformer("/u") { (text: String, _) in text }
        fixture.service.configureTransformer("/u") { (text: String, _) in text + "!" }
        #expect(findings == ["1 shadowed_block"])
    }

    @Test func `not one of which anything is left, or that matches more, or does nothing`() throws {
        try add("/a") {
            $0.expirationTime = .seconds(300)
            $0.retryTime = .seconds(3)
        }
        try add("/a") { $0.expirationTime = .seconds(60) }
        try add("/b/**") { $0.expirationTime = .seconds(300) }
        try add("/b/*") { $0.expirationTime = .seconds(60) }
        try add("/c", methods: ["GET", "POST"]) { $0.expirationTime = .seconds(300) }
        try add("/c", methods: ["GET"]) { $0.expirationTime = .seconds(60) }
        try add("/d") { _ in }
        try add("/d") { $0.expirationTime = .seconds(60) }
        try add("/e") { $0.expirationTime = .seconds(50) }
        try add("/e") { $0.expirationTime *= 2 }
        #expect(findings == [])
    }

    @Test func `14.15 a block for all resources has an effect where one below the base has none`() throws {
        try add(nil) { $0.expirationTime = .seconds(300) }
        fixture.service.configure(.matching { $0.host == "api.test" }) { $0.expirationTime = .seconds(60) }
        try add("**") { $0.expirationTime = .seconds(50) }
        #expect(findings == [])
    }

    // MARK: Credentials

    @Test func `14.10 credentials that go to every host`() throws {
        try add(nil) { $0.headers.set("Authorization", "Bearer a") }
        try add(nil) { $0.mutators.append { $0.headers.set("X-Api-Key", "a") } }
        try add(nil) { $0.headers.set("Accept", "a/b") }
        try add("**") { $0.headers.set("Authorization", "Bearer b") }
        fixture.service.configure(
            ConfigurationEntry(pattern: .all, description: "minds the host", origin: "main.lua:1") { draft in
                guard draft.url?.host == "api.test" else { return }
                draft.configuration.headers.set("Cookie", "c")
            })
        #expect(findings == ["1 open_credentials", "2 open_credentials"])
    }

    @Test func `14.11 credentials behind a pattern that doesn't look at the host, and in the URL`() throws {
        fixture.service.configure(.matching { $0.path != "/login" }) {
            $0.headers.set("Authorization", "Bearer a")
        }
        fixture.service.configure(.matching { $0.host == "api.test" }) {
            $0.headers.set("Authorization", "Bearer b")
        }
        try add(nil) { $0.mutators.append { $0.url += "?page=2&api_key=a" } }
        try add(nil) { $0.mutators.append { $0.url += "?page=2" } }
        let found = fixture.service.reviewBlocks()
        #expect(found.map { $0.block - 3 } == [1, 3] && found.allSatisfy { $0.code == .openCredentials })
        #expect(
            found.first?.message
                == "this block's pattern matches any host, so it sends 'Authorization' to other hosts too")
        #expect(found.last?.message == "this block has no pattern, so it sends 'api_key' to other hosts too")
    }

    // MARK: Time

    @Test func `no block is tried when there is no time for it`() throws {
        try add(nil) { $0.headers.set("Authorization", "Bearer a") }
        try add("https://other.test/**") { $0.retryTime = .seconds(2) }
        let time = TrialTime(seconds: 0)
        #expect(fixture.service.reviewBlocks(within: time).map(\.code) == [.neverMatches])
        #expect(time.wasShort)
        let enough = TrialTime()
        #expect(fixture.service.reviewBlocks(within: enough).count == 2 && !enough.wasShort)
    }

    @Test func `four times as many blocks are reviewed in about four times as long`() throws {
        let ratio = try growth(from: 250, by: 4) { count in
            let fixture = EngineFixture()
            for number in 0..<count {
                fixture.service.configure(try .glob("/a\(number)/*")) { $0.retryTime = .seconds(2) }
            }
            #expect(fixture.service.reviewBlocks(within: TrialTime(seconds: 1000)).isEmpty)
        }
        #expect(ratio < 8, "\(ratio)")
    }

    // MARK: Stages

    @Test func `16.5 stages that are never filled, and those that are filled and never run`() throws {
        try add("/a") { try $0.pipeline.setOrder(["parsing", "mine", "model"]) }
        try add("/b") { $0.pipeline["signature"].add(TextTransformer()) }
        #expect(findings == ["1 unused_stage", "2 unlisted_stage"])
        try add("/a") { $0.pipeline["mine"].cache = MemoryCache() }
        #expect(findings == ["2 unlisted_stage"])
    }

    @Test func `16.5 a stage that is left out on purpose, with what the engine put there, is right`() throws {
        try add("**") { try $0.pipeline.setOrder(["model"]) }
        #expect(findings == [])
    }

    @Test func `blocks that raise are somebody else's to tell`() throws {
        try add(nil) { _ in throw CancellationError() }
        try add("/a") { $0.retryTime = .seconds(3) }
        #expect(findings == [])
    }
}
