import RestEngine
import Testing

@testable import CurlTransport

struct TransferDeadlinesTests {
    private func deadlines() -> TransferDeadlines {
        var limits = Timeouts()
        limits.connect = .seconds(10)
        limits.firstByte = .seconds(30)
        limits.idle = .seconds(5)
        limits.total = .seconds(100)
        return TransferDeadlines(limits: limits, start: 1000)
    }

    @Test func `waiting for a slot is no connecting`() {
        var deadlines = deadlines()
        #expect(deadlines.next?.phase == .total, "nothing else begins before there is a connection")
        deadlines.connectionBegan(at: 1015)
        #expect(deadlines.next?.phase == .connect)
        #expect(deadlines.next?.deadline == 1025)
        #expect(deadlines.queueTime == 15)
        deadlines.connectionReady(at: 1020)
        #expect(deadlines.next?.phase == .firstByte)
        #expect(deadlines.next?.deadline == 1045)
    }

    @Test func `on a connection that was there the first byte is awaited from then on`() {
        var deadlines = deadlines()
        deadlines.connectionReady(at: 1020)
        #expect(deadlines.queueTime == 20)
        #expect(deadlines.next?.deadline == 1050)
        deadlines.connectionReady(at: 1030)
        deadlines.connectionBegan(at: 1030)
        #expect(deadlines.next?.deadline == 1050)
    }

    @Test func `idle runs while a body is sent, rests, and runs again with the response`() {
        var deadlines = deadlines()
        deadlines.connectionReady(at: 1000)
        deadlines.bodyBytesSent(at: 1001)
        #expect(deadlines.next?.phase == .idle)
        #expect(deadlines.next?.deadline == 1006)
        deadlines.bodySent(at: 0)
        #expect(deadlines.next?.deadline == 1030)
        deadlines.responseBytes(at: 1020)
        #expect(deadlines.next?.deadline == 1025)
        #expect(deadlines.expired(at: 1024.9) == nil)
        #expect(deadlines.expired(at: 1025) == .idle)
    }

    @Test func `a body that its receiver holds isn't idle`() {
        var deadlines = deadlines()
        deadlines.responseBytes(at: 1010)
        deadlines.bodyHeld()
        #expect(deadlines.next?.phase == .total)
        deadlines.responseBytes(at: 1050)
        #expect(deadlines.next?.deadline == 1055)
    }

    @Test func `the total is last`() {
        var deadlines = deadlines()
        deadlines.responseBytes(at: 1097)
        #expect(deadlines.expired(at: 1200) == .total)
    }

    @Test func `79.8 of a limit of zero or less the time is over at once`() {
        for phase in [TransportError.Phase.connect, .firstByte, .idle, .total] {
            var limits = Timeouts()
            switch phase {
            case .connect: limits.connect = .zero
            case .firstByte: limits.firstByte = .seconds(-1)
            case .idle: limits.idle = .seconds(-1)
            default: limits.total = .zero
            }
            var deadlines = TransferDeadlines(limits: limits, start: 100)
            deadlines.connectionBegan(at: 100)
            if phase == .idle { deadlines.responseBytes(at: 100) }
            #expect(deadlines.expired(at: 100) == phase)
        }
    }

    @Test func `nil is no limit`() {
        var limits = Timeouts()
        limits.connect = nil
        limits.firstByte = nil
        limits.idle = nil
        limits.total = nil
        var deadlines = TransferDeadlines(limits: limits, start: 0)
        deadlines.connectionBegan(at: 0)
        deadlines.responseBytes(at: 0)
        #expect(deadlines.next == nil)
        #expect(deadlines.expired(at: 1e9) == nil)
    }

    @Test("69.6 the limits are for the server, not for who writes the body")
    func paced() {
        var limits = Timeouts()
        limits.firstByte = .seconds(30)
        limits.idle = .seconds(20)
        limits.total = nil
        var deadlines = TransferDeadlines(limits: limits, start: 100, awaitsBody: true)
        func next() -> String { deadlines.next.map { "\($0.phase.rawValue) \(Int($0.deadline))" } ?? "none" }
        #expect(next() == "none")
        deadlines.connectionReady(at: 100)
        #expect(next() == "first_byte 130")
        deadlines.uploadHeld()
        #expect(next() == "none")
        deadlines.bodyBytesSent(at: 110)
        #expect(next() == "idle 130")
        deadlines.uploadHeld()
        #expect(next() == "none")
        deadlines.bodyBytesSent(at: 500)
        #expect(next() == "idle 520")
        deadlines.bodySent(at: 510)
        #expect(next() == "first_byte 540")
        deadlines.responseBytes(at: 515)
        #expect(next() == "idle 535")
    }
}
