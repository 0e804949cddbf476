import Testing

@testable import resthost

struct SettlingTests {
    @Test func `nothing noted is never due`() {
        let settling = Settling()
        #expect(settling.deadline == nil)
        #expect(!settling.isDue(at: 1e9))
    }

    @Test func `each change puts it off, up to a point`() throws {
        var settling = Settling()
        settling.note("a", at: 10)
        #expect(settling.deadline == 10.2)
        settling.note("b", at: 10.15)
        #expect(!settling.isDue(at: 10.2))
        #expect(settling.isDue(at: 10.36))
        var now = 10.15
        while now < 11.9 {
            now += 0.1
            settling.note("b", at: now)
        }
        #expect(settling.deadline == 12)
        #expect(settling.take() == ["a", "b"])
        #expect(settling.deadline == nil)
        settling.note("c", at: 20)
        #expect(settling.deadline == 20.2)
        #expect(settling.take() == ["c"])
    }
}
