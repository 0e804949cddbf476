import RestEngine
import TestSupport
import Testing

private struct User: Codable, Sendable, Equatable {
    var login: String
}

extension ContentHolder {
    fileprivate var user: User? { typedContent() }
}

@Suite(.leakChecked) @EngineActor
struct TypedContentTests {
    let fixture = EngineFixture()

    private func entity(_ content: Content) -> Entity { Entity(content: content, timestamp: 0) }

    private func error(_ entity: Entity?) -> RequestError { RequestError(entity: entity, timestamp: 0) }

    @Test func `27.1 text and json, of an entity, a resource and an error`() {
        let resource = fixture.resource("a")
        for (content, text, json) in [
            (.text("x"), "x", [:]), (.json([1]), "", [1]), (.value(["a": 1]), "", ["a": 1]),
            (.bytes([0x78]), "", [:]), (.value(7), "", [:]), (.json("atom"), "atom", [:]),
        ] as [(Content, String, Tree)] {
            let entity = entity(content)
            resource.overrideLocalData(entity)
            #expect(entity.text == text && resource.text == text && error(entity).text == text)
            #expect(entity.json == json && resource.json == json && error(entity).json == json)
        }
    }

    @Test func `27.1 text and json of nothing are empty`() {
        #expect(fixture.resource("a").text.isEmpty && error(nil).text.isEmpty)
        #expect(fixture.resource("a").json == [:] && error(nil).json == [:])
    }

    @Test func `27.2 content that casts, or a default that is not evaluated before it is needed`() {
        var evaluations = 0
        func fallback<Value>(_ value: Value) -> Value {
            evaluations += 1
            return value
        }
        let text = entity(.text("x"))
        #expect(text.typedContent(ifNone: fallback("none")) == "x")
        let found: String? = error(text).typedContent(ifNone: fallback(nil))
        #expect(found == "x" && evaluations == 0)
        #expect(text.typedContent(ifNone: fallback(7)) == 7)
        let missing: Int? = text.typedContent(ifNone: fallback(nil))
        #expect(missing == nil)
        #expect(fixture.resource("a").typedContent(ifNone: fallback(User(login: "o"))).login == "o")
        #expect(evaluations == 3)
    }

    @Test func `27.2 a default may throw`() {
        #expect(throws: CancellationError.self) {
            let _: Int = try entity(.text("x")).typedContent(ifNone: { throw CancellationError() }())
        }
    }

    @Test func `27.3 nil if absent or of another type`() {
        #expect(entity(.native(User(login: "o"))).typedContent() == User(login: "o"))
        #expect(entity(.native(User(login: "o"))).typedContent(String.self) == nil)
        #expect(entity(.json(["login": "o"])).typedContent(User.self) == nil)
        #expect(fixture.resource("a").typedContent(User.self) == nil)
        #expect(error(nil).typedContent(User.self) == nil)
    }

    @Test func `27.4 a program adds an accessor, for all three`() {
        let entity = entity(.native(User(login: "o")))
        let resource = fixture.resource("a")
        #expect(resource.user == nil && resource.snapshot.user == nil)
        resource.overrideLocalData(entity)
        #expect(entity.user?.login == "o" && resource.user?.login == "o" && error(entity).user?.login == "o")
        #expect(resource.snapshot.user?.login == "o")
    }

    @Test func `each kind of content has its types`() throws {
        let gif = try #require(Image(bytes: Array("GIF89a".utf8) + [2, 0, 3, 0]))
        #expect(Content.bytes([1]).cast() == [1] as [UInt8])
        #expect(Content.text("x").cast() == "x")
        #expect(Content.image(gif).cast() == gif)
        #expect(Content.json([1]).cast() == [1] as Tree)
        #expect(Content.value(7).cast() == 7 as Int && Content.value(7).cast() == 7 as Int64)
        #expect(Content.value(7).cast() == 7 as Double && Content.value(7.5).cast() == 7.5)
        #expect(Content.value(7.5).cast(to: Int.self) == nil && Content.value(7).cast(to: Bool.self) == nil)
        #expect(Content.json(true).cast() == true && Content.value("x").cast() == "x")
        #expect(Content.native([1, 2]).cast() == [1, 2])
    }

    @Test func `nothing is taken for an array because it is empty`() {
        #expect(Content.bytes([]).cast(to: [User].self) == nil)
        #expect(Content.bytes([]).cast() == [] as [UInt8])
        guard case .native = Content([User]()) else {
            Issue.record("an array of users is no body")
            return
        }
    }

    @Test func `a value becomes the content that gives it back`() throws {
        let gif = try #require(Image(bytes: Array("GIF89a".utf8) + [2, 0, 3, 0]))
        #expect(Content("x").kind == "text" && Content([1] as [UInt8]).kind == "bytes")
        #expect(Content(["a": 1] as Tree).kind == "value" && Content(gif).kind == "image")
        #expect(Content(User(login: "o")).cast() == User(login: "o"))
        #expect(Content(Content.json([])).kind == "json")
    }

    // MARK: Decoding

    @Test func `content(as:) takes what is there, else decodes the tree`() throws {
        #expect(try entity(.native(User(login: "n"))).content(as: User.self).login == "n")
        #expect(try entity(.json(["login": "o"])).content(as: User.self).login == "o")
        #expect(try entity(.value([["login": "o"]])).content(as: [User].self) == [User(login: "o")])
        #expect(try entity(.text("x")).content(as: String.self) == "x")
        #expect(try entity(.value(7)).content(as: UInt8.self) == 7)
        #expect(try entity(.json(["a": 1])).content(as: Tree.self) == ["a": 1])
    }

    @Test func `content(as:) says what is wrong where, and keeps the entity`() {
        let error = #expect(throws: RequestError.self) {
            try entity(.json([["login": "o"], ["login": 7]])).content(as: [User].self)
        }
        #expect(error?.code == "undecodable_content" && error?.json.count == 2)
        #expect(
            error?.description == "Cannot parse server response: [1].login: expected string, got number")
    }

    @Test func `content(as:) of something without a tree is a mismatch`() {
        final class Model {}
        let errors = [
            #expect(throws: RequestError.self) { try entity(.text("x")).content(as: User.self) },
            #expect(throws: RequestError.self) {
                try entity(.native(User(login: "o"))).content(as: Model.self)
            },
            #expect(throws: RequestError.self) { try entity(.bytes([1])).content(as: String.self) },
        ]
        #expect(
            errors.map { $0?.cause?.code } == Array(repeating: "wrong_input_type", count: 3))
        #expect(
            errors.map { $0?.description.split(separator: ": ", maxSplits: 1).last ?? "" } == [
                "the caller expects User, got text", "the caller expects Model, got User",
                "the caller expects text, got bytes: nothing before it decodes application/octet-stream; "
                    + "add a transformer for this content type to the decoding stage",
            ])
    }
}
