import RestEngine
import TestSupport
import Testing

/// The same steps before and after stages with caches (rules 22).
extension OffloadedTransformerTests {
    @Test("22.6: a stage's cache between two such steps gets its stage's output, in one job")
    func cacheBetween() throws {
        let (first, second) = (FakeCache("first", fixture), FakeCache("second", fixture))
        try fill(("parsing", ["A"]), ("model", ["B"]), caches: ["parsing": first, "model": second])
        let request = try load(.text(200, "x"))
        #expect(executor.waiting.count == 1)
        executor.go()
        fixture.settle()
        #expect(text(request) == "xAB")
        #expect(first.text() == "xA")
        #expect(second.text() == "xAB")
        fixture.service.wipeResources()
        fixture.settle()
    }

    @Test("22.9: a hit passes the later stages elsewhere too; a look-up waits for them")
    func hit() throws {
        let cache = FakeCache("cache", fixture).with("x")
        try fill(("model", ["A"]), caches: ["parsing": cache])
        let resource = fixture.resource("a")
        #expect(resource.latestData == nil)
        fixture.settle()
        #expect(resource.latestData == nil)
        executor.go()
        fixture.settle()
        #expect(resource.latestData?.content.text == "xA")
    }

    @Test("22.10: a hit that a later step can't take is skipped")
    func badHit() throws {
        let cache = FakeCache("cache", fixture).with("x")
        try fill(("model", ["A"]), caches: ["parsing": cache])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        executor.fail(.internal(message: "no"))
        fixture.settle()
        #expect(resource.latestData == nil)
        #expect(resource.latestError == nil)
    }

    @Test("22.11: data that came while a hit was elsewhere wins", arguments: [true, false])
    func late(byOverride: Bool) throws {
        let cache = FakeCache("cache", fixture).with("x")
        try fill(("model", ["A"]), caches: ["parsing": cache])
        try fixture.stub("GET", "a", .text(200, "new"))
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        if byOverride {
            resource.overrideLocalContent(.text("mine"))
        } else {
            resource.load()
            fixture.settle()
            executor.go(1)
        }
        fixture.settle()
        executor.go()
        fixture.settle()
        #expect(resource.latestData?.content.text == (byOverride ? "mine" : "newA"))
        #expect(fixture.engine.offloadedWork == 0)
    }

    @Test("22.14: a wipe forgets a hit that is elsewhere, and looks again")
    func wipe() throws {
        let cache = FakeCache("cache", fixture).with("x")
        try fill(("model", ["A"]), caches: ["parsing": cache])
        let resource = fixture.resource("a")
        _ = resource.latestData
        fixture.settle()
        resource.wipe()
        #expect(journal.take() == ["cancelled"])
        fixture.settle()
        #expect(executor.waiting.isEmpty)
        #expect(fixture.engine.offloadedWork == 0)
    }
}
