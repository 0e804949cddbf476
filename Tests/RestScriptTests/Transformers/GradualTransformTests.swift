import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Large documents for a function of the script. They become tables in parts, and the loop does other work
/// between the parts.
@Suite(.leakChecked) @EngineActor
struct GradualTransformTests {
    let fixture = ScriptFixture()
    private nonisolated static let rows = 20_000
    /// Some 600 kB, with large arrays and objects inside of each other.
    private nonisolated static let document: [UInt8] = {
        let users = (0..<rows).map { #"{"id":\#($0),"tags":["a",\#($0)]}"# }.joined(separator: ",")
        return Array(#"{"users":[\#(users)],"more":{"list":[[],{}],"n":null}}"#.utf8)
    }()
    private nonisolated static let type = Headers([("Content-Type", "application/json")])

    private func resource(_ path: String, _ status: Int = 200, _ body: [UInt8] = document) throws -> Resource
    {
        let api = try #require(fixture.host?.services.first)
        try fixture.transport.stub(
            method: nil, urlGlob: "https://api.test/v1/\(path)",
            .response(status, headers: Self.type, body: body))
        return api.resource(path)
    }

    /// Waits until all work under way is done.
    private func finish() async {
        for _ in 0..<3 {
            fixture.settle()
            await fixture.engine.offloadedWorkEnds()
        }
        fixture.settle()
    }

    private func outcome(_ resource: Resource) -> String {
        if let error = resource.latestError { return "\(error.code): \(error.userMessage)" }
        switch resource.latestData?.content {
        case .value(let tree)?, .json(let tree)?:
            return (try? String(decoding: tree.json(), as: UTF8.self)) ?? "?"
        case let content?: return content.text ?? content.kind
        case nil: return "nothing"
        }
    }

    private nonisolated static let scripts = [
        // First the function's result, then its whole argument, then the value of a table that is changed.
        """
        api:configure_transformer("**", function(content, entity)
          local users, sum = content.users, 0
          for i = 1, #users do sum = sum + users[i].id + users[i].tags[2] end
          users[1].id = "mine"
          return { n = #users, sum = sum, list = content.more.list, null = content.more.n == rest.null,
            kept = entity.content.users[1].id }
        end)
        """,
        #"api:configure_transformer("**", function() error("no", 0) end)"#,
        #"api:configure_transformer("**", function() return nil, "nothing here" end)"#,
        #"api:configure_transformer("**", function() while true do end end)"#,
        #"api:configure_transformer("**", rest.content_transformer { input = "text", transform = function() return 1 end })"#,
        """
        api:configure_transformer("**", rest.content_transformer {
          transform_errors = true, transform = function(content) return #content.users end })
        """,
    ]

    @Test(arguments: scripts, [200, 500])
    func `the result in parts equals the result in one go`(script: String, status: Int) async throws {
        var outcomes: [String] = []
        // One script never ends. The others need more than the usual time under a sanitizer.
        fixture.options.limits[.transformer] = .init(burst: 0.5)
        for moves in [false, true] {
            fixture.engine.movesLargeContent = moves
            try fixture.load(script)
            let resource = try resource("a", status)
            resource.load()
            await finish()
            let body = resource.latestError?.entity?.content.kind ?? "none"
            outcomes.append(outcome(resource) + body)
            fixture.close()
        }
        #expect(outcomes[0] == outcomes[1])
        #expect(!outcomes[0].hasPrefix("nothing"))
    }

    @Test func `others are answered while a table is made`() async throws {
        fixture.engine.movesLargeContent = true
        try fixture.load(#"api:configure_transformer("**", function(content) return #content.users end)"#)
        let (large, small) = (try resource("large"), try resource("small", 200, Array(#"{"users":[]}"#.utf8)))
        let first = large.load()
        fixture.settle()
        var loads = 0
        // Looks in each tick of the loop.
        func look() {
            guard first.state != .completed else { return }
            small.load()
            fixture.settle()
            loads += small.latestData == nil ? 0 : 1
            EngineLoop.shared.submit { look() }
        }
        look()
        await finish()
        await yielding(until: "the large one is transformed") {
            fixture.settle()
            return first.state == .completed
        }
        #expect(outcome(large) == "\(Self.rows)" && outcome(small) == "0")
        #expect(loads > 3)
        fixture.close()
    }

    @Test func `a cancelled one is not reported, and the next one is made`() async throws {
        fixture.engine.movesLargeContent = true
        try fixture.load(#"api:configure_transformer("**", function(content) return #content.users end)"#)
        let (one, other) = (try resource("one"), try resource("other"))
        for turns in 0..<12 {
            let request = one.load()
            let next = other.load()
            fixture.settle()
            for _ in 0..<(turns * turns) { await Task.yield() }
            request.cancel()
            await finish()
            #expect(request.state == .completed && next.state == .completed)
            #expect(outcome(other) == "\(Self.rows)")
        }
        fixture.close()
    }

    @Test func `a script that ends meanwhile fails it`() async throws {
        fixture.engine.movesLargeContent = true
        for turns in [0, 20, 200] {
            try fixture.load(#"api:configure_transformer("**", function(content) return #content.users end)"#)
            let request = try resource("a").load()
            fixture.settle()
            for _ in 0..<turns { await Task.yield() }
            fixture.close()
            await finish()
            #expect(request.state == .completed)
        }
    }

    @Test func `a document without room in the state is an error, as in one go`() async throws {
        var codes: [String?] = []
        for moves in [false, true] {
            fixture.engine.movesLargeContent = moves
            fixture.options.memoryLimit = 4 << 20
            try fixture.load(
                """
                api:configure_transformer("large", function(content) return #content.users end)
                api:configure_transformer("small", function(content) return #content.users end)
                """)
            let (large, small) = (
                try resource("large"), try resource("small", 200, Array(#"{"users":[]}"#.utf8))
            )
            large.load()
            await finish()
            small.load()
            await finish()
            codes.append(large.latestError?.code)
            #expect(outcome(small) == "0")
            fixture.close()
        }
        #expect(codes[0] != nil && codes[0] == codes[1])
    }
}
