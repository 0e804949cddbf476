import Foundation
import RestEngine
import RestFoundation
import TestSupport
import Testing

private struct Post: Codable, Equatable {
    var at: Date
    var picture: Data
}

/// The engine's additions for programs with Foundation.
@Suite(.leakChecked) @EngineActor
struct RestFoundationTests {
    let fixture = EngineFixture()

    @Test func `a decoder of Foundation's makes models, with its strategies`() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        fixture.service.model(Post.self, at: "posts/*", decoder: decoder)
        try fixture.stub("GET", "posts/1", .json(200, #"{"at": 60, "picture": "AQI="}"#))
        let resource = fixture.resource("posts/1")
        resource.load()
        fixture.settle()
        let post = Post(at: Date(timeIntervalSince1970: 60), picture: Data([1, 2]))
        #expect(try resource.content(as: Post.self) == post)
        #expect(resource.latestData?.date == Date(timeIntervalSince1970: 1_000_000))
    }

    @Test func `data and encoders make bodies, and contents are data`() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        struct Note: Encodable { let createdAt = 1 }
        try fixture.stub("POST", "a", .json(200, #"{"a":[1]}"#))
        let resource = fixture.resource("a")
        let request = resource.request(.post, body: try .json(encoding: Note(), encoder: encoder))
        resource.request(.post, body: .data(Data([1, 2])))
        fixture.settle()
        #expect(fixture.transport.requests.map(\.body) == [Array(#"{"created_at":1}"#.utf8), [1, 2]])
        let entity = try #require(request.info?.response.entity)
        #expect(entity.data == Data(#"{"a":[1]}"#.utf8))
        #expect(try entity.content(as: [String: [Int]].self, decoder: JSONDecoder()) == ["a": [1]])
        #expect(throws: RequestError.self) { try entity.content(as: [Int].self, decoder: JSONDecoder()) }
    }

    @Test func `URLs are Foundation's, and errors say what they say to people`() throws {
        let base = try #require(URL(string: "https://b.test/v2"))
        let service = try Service(engine: fixture.engine, name: "b", baseURL: base)
        let url = try #require(service.resource("x y").url)
        #expect(URL(url)?.absoluteString == "https://b.test/v2/x%20y")
        #expect(
            service.resource(absoluteURL: try #require(URL(string: "https://c.test/"))).url?.host == "c.test")
        service.flushUnusedResources()
        let error: any Error = RequestError(cause: .requestCancelled)
        #expect(error.localizedDescription == "Request cancelled")
    }
}
