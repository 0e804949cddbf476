import TestSupport
import Testing

@testable import RestEngine

/// 17.2: the remembered type of a response always belongs to its current headers.
@EngineActor
struct KnownContentTypesTests {
    private let types = KnownContentTypes()

    private func essence(_ entity: Entity) -> String? {
        types.contentType(of: .success(entity)).essence.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `17.2 a header that changed is seen`() {
        var entity = Entity(content: .text("a"), contentType: "Text/Plain; charset=utf-8")
        #expect(essence(entity) == "text/plain")
        entity.headers.set("Content-Type", "application/json")
        #expect(essence(entity) == "application/json")
        entity.headers.set("X-Other", "1")
        #expect(essence(entity) == "application/json")
        entity.headers.omit("Content-Type")
        #expect(essence(entity) == "application/octet-stream")
    }

    @Test func `17.2 what one response had isn't that of another`() {
        var entity = Entity(content: .text("a"), contentType: "text/plain")
        let before = entity
        #expect(essence(entity) == "text/plain")
        entity.headers.set("Content-Type", "image/png")
        #expect(essence(entity) == "image/png")
        #expect(essence(before) == "text/plain")
    }

    @Test func `without fields or without a body there is no mistake`() {
        #expect(essence(Entity(content: .text("a"))) == "application/octet-stream")
        let error = RequestError(cause: .requestCancelled, timestamp: 0)
        #expect(types.contentType(of: .failure(error)).essence == nil)
        #expect(essence(Entity(content: .text("a"))) == "application/octet-stream")
    }

    @Test func `more types than are remembered`() {
        for _ in 0..<2 {
            for number in 0..<40 {
                #expect(essence(Entity(content: .text(""), contentType: "a/x\(number)")) == "a/x\(number)")
            }
        }
    }
}
