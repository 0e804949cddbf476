import Synchronization
import TestSupport
import Testing

/// Waits of tests end, and report their purpose.
struct TestTimeoutTests {
    private func inVain(_ what: String, _ wait: () async -> Void) async {
        let reports = Mutex<[String]>([])
        await TestTimeout.$limit.withValue(0) {
            await TestTimeout.$report.withValue({ text, _ in reports.withLock { $0.append(text) } }) {
                await wait()
            }
        }
        #expect(reports.withLock { $0 } == ["waited 0 seconds in vain for \(what)"])
    }

    @Test func `a gate that stays shut fails the test and opens`() async {
        let gate = Gate()
        await inVain("a guest") { await gate.opened("a guest") }
        await gate.opened()
    }

    @Test func `so does an answer that doesn't come`() async {
        var answer: Int? = 1
        await inVain("an answer") { answer = await waiting(for: "an answer") { (_: (Int) -> Void) in } }
        #expect(answer == nil)
    }

    @Test func `so does what can be ended, a condition that doesn't hold, and a thread's`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        await inVain("the end") {
            await patiently("the end", giveUp: { continuation.finish() }) { for await _ in stream {} }
        }
        await inVain("luck") { await yielding(until: "luck") { false } }
        await inVain("luck") { spinning(until: "luck") { false } }
    }

    @Test func `an answer is taken once, be it early or late`() async {
        #expect(
            await waiting(for: "one") {
                $0(1); $0(2)
            } == 1)
        let late: Int? = await waiting(for: "two") { answer in PeerThread.start { answer(2) } }
        #expect(late == 2)
    }
}
