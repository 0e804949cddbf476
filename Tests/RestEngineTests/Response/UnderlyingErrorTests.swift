import RestEngine
import TestSupport
import Testing

/// An error that a program's function throws is in the request's error unchanged (rule 17.7).
@Suite(.leakChecked) @EngineActor
struct UnderlyingErrorTests {
    private enum MyError: Error, Equatable {
        case wrong(Int)
    }

    private struct Picky: Decodable {
        init(from decoder: any Decoder) throws { throw MyError.wrong(6) }
    }

    let fixture = EngineFixture()

    private func failure(_ path: String = "a") throws -> RequestError {
        try fixture.stub("GET", path, .json(200, "{}"))
        let request = fixture.resource(path).load()
        fixture.settle()
        return try #require(request.info?.response.error)
    }

    @Test func `of a transformer`() throws {
        fixture.service.configureTransformer("a") { (_: Tree, _) -> String? in throw MyError.wrong(3) }
        let error = try failure()
        #expect(error.underlying as? MyError == .wrong(3))
        #expect(error.httpStatusCode == 200 && error.userMessage == "Cannot parse server response")
    }

    @Test func `of a block, a mutator and a decorator`() throws {
        fixture.service.configure("block") { _ in throw MyError.wrong(1) }
        fixture.service.configure("mutator") { $0.mutators.append { _ in throw MyError.wrong(2) } }
        fixture.service.configure("decorator") { $0.decorators.append { _, _ in throw MyError.wrong(4) } }
        let errors = try ["block", "mutator", "decorator"].map { try failure($0).underlying as? MyError }
        #expect(errors == [.wrong(1), .wrong(2), .wrong(4)])
    }

    @Test func `of a model's own decoding`() throws {
        fixture.service.model(Picky.self, at: "a")
        #expect(try failure().underlying as? MyError == .wrong(6))
    }

    @Test func `of an operation`() async throws {
        let request = Request(engine: fixture.engine) { throw MyError.wrong(5) }
        request.start()
        await yielding(until: "the request completes") { request.state == .completed }
        fixture.settle()
        #expect(request.info?.response.error?.underlying as? MyError == .wrong(5))
    }

    @Test func `none where the engine found the fault`() throws {
        #expect(RequestError(thrown: RequestError.CauseError(.unparsableImage)).underlying == nil)
    }

    @Test func `RFC 9110 5.5 a bad header of a program is no script's error`() throws {
        let request = fixture.resource("a").request(.get, headers: ["X-A": "a\nb"])
        fixture.settle()
        let error = try #require(request.info?.response.error)
        guard case .invalidHeader(let message)? = error.cause else {
            Issue.record("\(error)")
            return
        }
        #expect(message == "the value of header 'X-A' contains a line break or control character")
        #expect(error.userMessage == "Cannot send request" && !"\(error)".lowercased().contains("script"))
    }
}
