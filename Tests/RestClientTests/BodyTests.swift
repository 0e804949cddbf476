import RestClient
import Synchronization
import TestSupport
import Testing

import struct Foundation.Data

/// The bodies of answers and requests (rules 79).
struct BodyTests {
    private func answer<Output: Decodable & Sendable>(
        _ body: String, as type: Output.Type = Output.self, contentType: String = "application/json"
    ) async throws -> Output {
        try await call(body, contentType).returning(type)()
    }

    private func call(_ body: String, _ type: String = "application/json") async throws -> Call<Entity> {
        let api = try await StubbedService()
        try await api.stub("GET", "x", .text(200, body, type: type))
        return api.service.get("x")
    }

    private let broken = [#"{"a":1}0000"#, "\"AQID\"", "{", "5", ""]

    @Test func `79.7 nothing, text and bytes are never parsed`() async throws {
        for body in broken {
            let call = try await call(body)
            try await call.returning(Void.self)()
            #expect(try await call.returning(String.self)() == body)
            #expect(try await call.returning([UInt8].self)() == Array(body.utf8))
            #expect(
                try await call.returning(ContiguousArray<UInt8>.self)() == Array(body.utf8)[...].contiguous)
            #expect(try await call.returning(String?.self)() == (body.isEmpty ? nil : body))
            let response = try await call.returning([UInt8].self).response()
            #expect(response.value == Array(body.utf8) && response.body == response.value)
        }
    }

    @Test func `79.7 transformers of the service see no such success, and all failures`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "good", .json(200, #"{"a":1}"#))
        try await api.stub("GET", "bad", .json(403, #"{"message":"no"}"#))
        let seen = Seen()
        await EngineActor.run {
            api.service.configureTransformer("**") { (tree: Tree, _) -> Tree in
                seen.add()
                return tree
            }
        }
        try await api.service.get("good", as: Void.self)()
        #expect(seen.count == 0)
        _ = try await api.service.get("good", as: Tree.self)()
        #expect(seen.count == 1)
        let error = await #expect(throws: RequestError.self) {
            try await api.service.get("bad", as: Void.self)()
        }
        #expect(error?.json["message"]?.string == "no")
    }

    @Test func `79.7 text is decoded as its charset says, and is an error where it can't be`() async throws {
        let api = try await StubbedService()
        let latin = Headers([("Content-Type", "application/json; charset=iso-8859-1")])
        try await api.stub("GET", "latin", .response(200, headers: latin, body: [0xE9]))
        try await api.stub(
            "GET", "wrong",
            .response(200, headers: Headers([("Content-Type", "text/x; charset=utf-8")]), body: [0xE9]))
        #expect(try await api.service.get("latin", as: String.self)() == "é")
        let error = await #expect(throws: RequestError.self) {
            try await api.service.get("wrong", as: String.self)()
        }
        #expect(error?.code == "undecodable_text" && error?.method == "GET")
    }

    @Test func `79.7 fragments of JSON are decoded as the type that is expected`() async throws {
        enum Color: String, Decodable { case red }
        #expect(try await answer("5", as: Int.self) == 5)
        #expect(try await answer("5", as: Int8.self) == 5)
        #expect(try await answer("18446744073709551615", as: UInt64.self) == .max)
        #expect(try await answer("0.5", as: Double.self) == 0.5)
        #expect(try await answer("true", as: Bool.self))
        #expect(try await answer("\"red\"", as: Color.self) == .red)
        #expect(try await answer("null", as: Person?.self) == nil)
        #expect(try await answer("\"x\"", as: Tree.self).string == "x")
        #expect(try await call("5")().content.tree?.int == 5)
        for await update in try await call("5").returning(Int.self).updates {
            #expect(update.error == nil)
            if let value = update.value {
                #expect(value == 5)
                break
            }
        }
        let error = await #expect(throws: RequestError.self) { try await answer("5", as: Person.self) }
        #expect(error?.code == "undecodable_content")
    }

    @Test func `79.7 a collection of bytes is the body of a request as it is`() async throws {
        let api = try await StubbedService()
        try await api.stub("POST", "x", .response(204))
        let bytes: [UInt8] = [1, 0, 255]
        let slice = bytes[...]
        let bodies: [Body] = [
            Body { ContiguousArray(bytes) }, Body { slice }, Body(slice), Body { bytes },
        ]
        for body in bodies {
            try await api.service.post("x", as: Void.self) { body }()
            let sent = await api.last
            #expect(sent?.body == bytes && sent?.headers["Content-Type"] == "application/octet-stream")
        }
        try await api.service.post("x", as: Void.self) { Body { [1, 2] } }()
        #expect(await api.last?.headers["Content-Type"] == "application/json")
    }

    @Test func `79.7 Data is bytes, both ways`() async throws {
        let api = try await StubbedService()
        let bytes: [UInt8] = [0x5B, 0x31, 0x5D]
        try await EngineActor.run {
            _ = try api.transport.stub(method: nil, urlGlob: "**") { request in
                .response(
                    200, headers: Headers([("Content-Type", "application/json")]), body: request.body ?? bytes
                )
            }
        }
        #expect(try await api.service.get("x", as: Data.self)() == Data(bytes))
        #expect(try await api.service.get("x", as: Data?.self)() == Data(bytes))
        #expect(try await api.service.get("x", as: [Int].self)() == [1])
        let sent = Data([9, 0, 255])
        #expect(try await api.service.post("x", as: Data.self) { Body { sent } }() == sent)
        #expect(try await api.service.post("x", as: Data.self) { Body(sent) }() == sent)
        #expect(await api.last?.headers["Content-Type"] == "application/octet-stream")
    }

    @Test func `a header whose value is nil says nothing`() async throws {
        let api = try await StubbedService()
        let trace: String? = nil
        let call: Call<Void> = api.service.get("x") {
            Headers {
                ["X-A": nil, "X-B": "b"]
                ("X-C", trace)
            }
        }
        #expect(call.headers == Headers([("X-B", "b")]))
    }

    @Test func `types of transformers say that they are content`() async throws {
        struct Made: CallContent { let name: String }
        let api = try await StubbedService()
        try await api.stub("GET", "x", .json(200, #"{"name":"Mona"}"#))
        await EngineActor.run {
            api.service.configureTransformer("x") { (tree: Tree, _) in
                Made(name: tree["name"]?.string ?? "")
            }
        }
        let call: Call<Made> = api.service.get("x")
        #expect(try await call().name == "Mona")
        let optional: Call<Made?> = api.service.get("x")
        #expect(try await optional()?.name == "Mona")
    }
}

extension ArraySlice<UInt8> {
    fileprivate var contiguous: ContiguousArray<UInt8> { ContiguousArray(self) }
}

private final class Seen: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func add() { number.wrappingAdd(1, ordering: .relaxed) }
}
