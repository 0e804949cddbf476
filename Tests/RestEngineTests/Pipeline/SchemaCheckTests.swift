import Platform
import TestSupport
import Testing

@testable import RestEngine

/// Accepts the content `{"ok":true}` alone.
private struct OnlyOK: ContentSchema {
    var name: String? = "OK"
    var digest = 1
    /// As many problems, of which the first have places.
    var count = 1
    var takesForever = false

    func problems(of content: Tree, most: Int, poll: @escaping () throws -> Void) throws -> [String] {
        while takesForever { try poll() }
        return content["ok"]?.bool == true ? [] : (0..<min(most, count)).map { "/\($0) is wrong" }
    }
}

@Suite(.leakChecked) @EngineActor
struct SchemaCheckTests {
    let fixture = EngineFixture()

    private func check(_ schema: OnlyOK = OnlyOK()) throws {
        try fixture.configure { $0.configuration.schema = SchemaCheck(schema, origin: "main.lua:3") }
    }

    private func loaded(_ json: String) throws -> Resource {
        try fixture.stub(.get, "a", .json(200, json))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        return resource
    }

    @Test(arguments: [
        (1, "the content doesn't match the schema 'OK' in one place: /0 is wrong"),
        (3, "the content doesn't match the schema 'OK' in 3 places: /0 is wrong; /1 is wrong; /2 is wrong"),
        (
            5,
            "the content doesn't match the schema 'OK' in 5 places: /0 is wrong; /1 is wrong; /2 is wrong; …"
        ),
        (
            500,
            "the content doesn't match the schema 'OK' in 100 places or more: /0 is wrong; /1 is wrong; /2 is wrong; …"
        ),
    ]) func `the error names three places and counts them`(count: Int, message: String) throws {
        try check(OnlyOK(count: count))
        let error = try #require(try loaded("{}").latestError)
        #expect(error.code == "schema_mismatch" && error.httpStatusCode == 200)
        #expect(error.cause?.detail == message)
        #expect(error.entity?.content.anyTree == [:])
    }

    @Test func `a content that matches is taken`() throws {
        try check()
        #expect(try loaded(#"{"ok":true}"#).latestError == nil)
    }

    @Test func `a check that takes too long is a failure, too`() throws {
        try check(OnlyOK(takesForever: true))
        let error = try #require(try loaded("{}").latestError)
        #expect(
            error.cause?.detail
                == "the content can't be checked against the schema 'OK': it takes longer than 1 s")
    }

    @Test func `old data stands in for a content that doesn't match`() throws {
        try check()
        try fixture.configure { $0.configuration.staleIfError = .seconds(100) }
        let resource = try loaded(#"{"ok":true}"#)
        fixture.advance(40)
        fixture.transport.clear()
        try fixture.stub(.get, "a", .json(200, "{}"))
        var served: (text: String?, reason: StaleReason?)
        resource.readServedAnswer { result, reason in
            served = ((try? result.get()).map { String(decoding: $0.content.body, as: UTF8.self) }, reason)
        }
        fixture.settle()
        #expect(served.text == #"{"ok":true}"#)
        guard case .failed(let error)? = served.reason else {
            Issue.record("no reason: \(String(describing: served.reason))")
            return
        }
        #expect(error.code == "schema_mismatch")
    }

    @Test func `offline the data that was checked is served, and isn't checked again`() throws {
        try check()
        let resource = try loaded(#"{"ok":true}"#)
        try fixture.configure {
            $0.configuration.schema = SchemaCheck(OnlyOK(takesForever: true), origin: nil)
        }
        fixture.engine.isOffline = true
        var served: Entity?
        resource.readCached { served = try? $0.get() }
        fixture.settle()
        #expect(served?.content.anyTree == ["ok": true])
    }

    @Test func `another schema makes the data of an old one stale`() {
        func fingerprint(_ digest: Int?) -> UInt64 {
            var configuration = Configuration()
            configuration.schema = digest.map { SchemaCheck(OnlyOK(digest: $0), origin: nil) }
            return ResolvedConfiguration(configuration).pipelineFingerprint
        }
        #expect(fingerprint(1) == fingerprint(1))
        #expect(Set([fingerprint(1), fingerprint(2), fingerprint(nil)]).count == 3)
    }

    @Test func `the check stays behind transformers that are added later, once`() {
        var configuration = Configuration()
        configuration.schema = SchemaCheck(OnlyOK(), origin: nil)
        var again = ResolvedConfiguration(configuration).configuration
        again.pipeline[.parsing].add(JSONTransformer())
        let steps = ResolvedConfiguration(again).configuration.pipeline[.parsing].steps
        #expect(steps.map(\.transformer.description) == ["json", "schema 'OK'"])
        again.schema = nil
        #expect(ResolvedConfiguration(again).configuration.pipeline[.parsing].steps.count == 1)
    }

    @Test func `explain says that there is a schema`() throws {
        try check()
        let settings = fixture.service.explain("/a").settings
        #expect(settings.first { $0.field == "schema" }?.value == "schema 'OK' at main.lua:3")
    }
}
