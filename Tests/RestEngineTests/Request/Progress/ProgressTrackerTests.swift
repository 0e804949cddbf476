import RestEngine
import TestSupport
import Testing

@testable import RestEngine

struct ProgressTrackerTests {
    /// The counters at a time, and the resulting fraction.
    struct Step: Sendable, CustomTestStringConvertible {
        var time = 0.0
        var sent: Int64 = 0
        var toSend: Int64?
        var received: Int64 = 0
        var toReceive: Int64?
        var fraction: Double

        var counters: TransferProgress {
            var counters = TransferProgress()
            counters.bytesSent = sent
            counters.bytesToSend = toSend
            counters.bytesReceived = received
            counters.bytesToReceive = toReceive
            return counters
        }

        var testDescription: String {
            "\(time) s, \(sent) of \(toSend ?? -1), \(received) of \(toReceive ?? -1)"
        }
    }

    private func follow(_ steps: [Step], isGet: Bool) {
        var tracker = ProgressTracker(isGet: isGet, now: 100)
        for step in steps {
            let fraction = tracker.update(step.counters, now: 100 + step.time)
            #expect(
                abs(fraction - step.fraction) < 1e-9,
                "\(step.testDescription): \(fraction), not \(step.fraction)")
            #expect(tracker.fraction == fraction)
        }
    }

    @Test(
        "12.7 12.8: each part alone, at three quarters of its curve",
        arguments: [
            (true, Step(time: 0, fraction: 0)), (true, Step(time: 2.5, fraction: 0.3 * 0.75 / 1.6)),
            (false, Step(time: 2.5, fraction: 0.3 * 0.75 / 1.7)),
            (true, Step(time: 5, fraction: 0.3 * 0.9375 / 1.6)),
            (true, Step(received: 65536, fraction: 0.75 / 1.6)),
            (false, Step(received: 65536, fraction: 0.1 * 0.75 / 1.7)),
            (true, Step(sent: 8192, fraction: 0)), (false, Step(sent: 8192, fraction: 0.75 / 1.7)),
            (true, Step(received: 10, toReceive: 40, fraction: 0.25 / 1.6)),
            (false, Step(sent: 10, toSend: 40, fraction: 0.25 / 1.7)),
        ])
    func weights(isGet: Bool, step: Step) {
        follow([step], isGet: isGet)
    }

    @Test("12.10: the wait for the connection grows until a byte moves, and not while the body is sent")
    func connecting() {
        follow(
            [
                Step(time: 2.5, toSend: 4, fraction: 0.225 / 1.7),
                // The phase ends at its current fraction; the rest is measured again.
                Step(time: 2.6, sent: 1, toSend: 4, fraction: 0.475 / 1.7),
                Step(time: 100, sent: 1, toSend: 4, fraction: 0.475 / 1.7),
            ], isGet: false)
    }

    @Test("12.10: the wait for the response begins when the whole body is sent")
    func waiting() {
        let sent = 1.0 / 1.7
        let scale = (1 - sent) / (1 - 1.3 / 1.7)
        follow(
            [
                Step(sent: 4, toSend: 4, fraction: sent), Step(time: 0, sent: 4, toSend: 4, fraction: sent),
                Step(time: 1.2, sent: 4, toSend: 4, fraction: 1 - (1 - (1.3 + 0.225) / 1.7) * scale),
                Step(time: 2.4, sent: 4, toSend: 4, fraction: 1 - (1 - (1.3 + 0.28125) / 1.7) * scale),
            ], isGet: false)
    }

    @Test("12.10: without a known size of the body nothing says that it is sent")
    func unknownUpload() {
        follow(
            [Step(sent: 8192, fraction: 0.75 / 1.7), Step(time: 50, sent: 8192, fraction: 0.75 / 1.7)],
            isGet: false)
    }

    @Test("12.9: when a total becomes known, the value is held, and the rest goes on from there")
    func total() {
        let before = 0.75 / 1.6
        let scale = (1 - before) / (1 - 1.1 / 1.6)
        follow(
            [
                Step(received: 65536, fraction: before),
                Step(received: 65536, toReceive: 131072, fraction: before),
                Step(received: 98304, toReceive: 131072, fraction: 1 - (1 - 1.35 / 1.6) * scale),
                Step(received: 131072, toReceive: 131072, fraction: 1),
            ], isGet: true)
    }

    @Test("12.9: a total that shrinks doesn't jump either")
    func shorter() {
        follow(
            [
                Step(received: 10, toReceive: 100, fraction: 0.1 / 1.6),
                Step(received: 10, toReceive: 20, fraction: 0.1 / 1.6),
                Step(received: 20, toReceive: 20, fraction: 1),
            ], isGet: true)
    }

    @Test("12.11: a download longer than was said is clamped")
    func overlong() {
        follow([Step(received: 50, toReceive: 20, fraction: 1)], isGet: true)
        follow(
            [
                Step(received: 10, toReceive: 20, fraction: 0.5 / 1.6),
                Step(received: 500, toReceive: 20, fraction: 1),
                Step(received: 501, toReceive: 20, fraction: 1),
            ], isGet: true)
    }

    @Test("12.12: no total, zero and less are unknown", arguments: [nil, 0, -1] as [Int64?])
    func unknown(total: Int64?) {
        follow([Step(received: 65536, toReceive: total, fraction: 0.75 / 1.6)], isGet: true)
        follow([Step(sent: 8192, toSend: total, fraction: 0.75 / 1.7)], isGet: false)
    }

    @Test("12.8: with unknown sizes it never reaches 1")
    func neverEnds() {
        var tracker = ProgressTracker(isGet: true, now: 0)
        for power in 1...62 {
            #expect(tracker.update(Step(received: 1 << power, fraction: 0).counters, now: 1e9) < 1)
        }
    }

    @Test("12.4: counters that go back, or another address, leave the value where it was")
    func redirects() {
        var tracker = ProgressTracker(isGet: true, now: 0)
        let first = tracker.update(Step(received: 30, toReceive: 40, fraction: 0).counters, now: 0)
        #expect(tracker.update(Step(received: 3, toReceive: 40, fraction: 0).counters, now: 0) == first)
        tracker.restart(isGet: false, now: 10)
        let second = tracker.update(Step(fraction: 0).counters, now: 10)
        #expect(second == first)
        let third = tracker.update(Step(fraction: 0).counters, now: 12.5)
        #expect(third > second)
        let whole = Step(sent: 5, toSend: 5, received: 9, toReceive: 9, fraction: 1)
        #expect(tracker.update(whole.counters, now: 13) == 1)
    }

    @Test(
        "12.1 12.4: whatever the counters say, the value is in 0…1 and never goes down",
        arguments: 1...50 as ClosedRange<UInt64>)
    func fuzz(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var tracker = ProgressTracker(isGet: seed.isMultiple(of: 2), now: 0)
        var now = 0.0
        var last = 0.0
        for _ in 0..<200 {
            let small = random.next() % 3 == 0
            let bytes = { (random: inout SeededRandom) -> Int64 in
                small ? Int64(random.next() % 7) - 2 : Int64(bitPattern: random.next())
            }
            var step = Step(sent: bytes(&random), received: bytes(&random), fraction: 0)
            if random.next().isMultiple(of: 2) { step.toSend = bytes(&random) }
            if random.next().isMultiple(of: 2) { step.toReceive = bytes(&random) }
            now += Double(random.next() % 100) / 10
            if random.next() % 50 == 0 { tracker.restart(isGet: small, now: now) }
            let value = tracker.update(step.counters, now: now)
            #expect(value >= last && value <= 1)
            last = value
        }
    }
}
