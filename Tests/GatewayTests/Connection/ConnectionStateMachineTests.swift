import NIOCore
import Testing

@testable import Gateway

/// The table of a connection's life, without a socket: events, and the actions that follow.
@Suite struct ConnectionStateMachineTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// Each step with the machine's answer.
        let steps: [(Step, String)]

        var testDescription: String { name }
    }

    enum Step: Sendable {
        /// The sweep of all steps after it.
        case at(Int)
        case receive(String)
        case next
        case skip, take
        case takeLeaving
        case receiveBody
        /// The body is forwarded.
        case pass(timeout: Int)
        case hold
        case releaseBody(Int)
        case beginAnswer(Int)
        case endAnswer(closes: Bool)
        case wait(until: Int)
        case extend(Int, until: Int)
        case resume(Int)
        case answer(Int, closes: Bool)
        case out
        case sweep(unsent: Int)
        case writable(Bool)
        case mayRead, release
        case surplus, close
        case leave
        case idle(unsent: Int)
        case quiet
    }

    static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
    static let head = "HEAD /b HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    static let chunked = "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    static let post = "POST /c HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n"

    static let requests = [
        Row(
            name: "one request, answered at once",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.skip, ""), (.next, "none"), (.quiet, "true"),
            ]),
        Row(
            name: "in pieces",
            steps: [
                (.receive("GET /a HT"), "look"), (.next, "none"), (.quiet, "false"),
                (.receive("TP/1.1\r\nHost: h\r\n\r\n"), "look"), (.next, "GET /a"), (.skip, ""),
                (.next, "none"),
            ]),
        Row(
            name: "it is the next until it is taken",
            steps: [(.receive(get), "look"), (.next, "GET /a"), (.next, "GET /a"), (.take, "1 GET /a")]),
        Row(
            name: "two together, in order",
            steps: [
                (.receive(get + head), "look"), (.next, "GET /a"), (.skip, ""), (.next, "HEAD /b"),
                (.take, "1 HEAD /b keep-alive"), (.answer(10, closes: false), "goes on"), (.next, "none"),
            ]),
        Row(
            name: "the second waits for the answer to the first",
            steps: [
                (.receive(get + get), "look"), (.next, "GET /a"), (.take, "1 GET /a"), (.wait(until: 9), ""),
                (.next, "none"), (.receive(get), "-"), (.next, "none"), (.quiet, "false"),
                (.resume(1), "GET /a"), (.answer(10, closes: false), "goes on"), (.next, "GET /a"),
                (.take, "2 GET /a"), (.answer(10, closes: false), "goes on"), (.next, "GET /a"),
            ]),
        Row(
            name: "an answer that is too late, or for another, is nobody's",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.take, "1 GET /a"), (.wait(until: 9), ""),
                (.resume(2), "nil"), (.resume(1), "GET /a"), (.resume(1), "nil"),
            ]),
        Row(
            name: "RFC 9112 9.6 a body that nobody reads ends the connection, slowly",
            steps: [
                (.receive(post), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.answer(10, closes: true), "last"), (.receive("abc"), "-"), (.next, "none"),
                (.out, "closeOutput"), (.receive(get), "-"), (.close, ""), (.out, "nil"),
            ]),
        Row(
            name: "RFC 9112 9.6 so do requests behind the last answer",
            steps: [
                (.receive(get + get), "look"), (.next, "GET /a"), (.takeLeaving, "1 GET /a close"),
                (.answer(10, closes: true), "last"), (.next, "none"), (.out, "closeOutput"),
            ]),
        Row(
            name: "50.2 a body that comes in chunks and pieces",
            steps: [
                (.receive(chunked), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.receiveBody, ""),
                (.next, "none"), (.receive("3\r\n"), "look"), (.next, "none"), (.receive("abc"), "look"),
                (.next, "abc"), (.next, "none"), (.receive("\r\n0\r"), "look"), (.next, "none"),
                (.receive("\n"), "look"), (.next, "none"), (.receive("\r\n" + get), "look"),
                (.next, "complete POST /c"), (.next, "GET /a"),
            ]),
        Row(
            name: "50.1 a body of a known length, and a slow one",
            steps: [
                (.receive(post + "a"), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.receiveBody, ""), (.next, "a"), (.next, "none"), (.at(3), ""), (.receive("b"), "look"),
                (.next, "b"), (.next, "none"), (.at(6), ""), (.sweep(unsent: 0), "slowBody"),
                (.receive("c"), "look"), (.next, "c"), (.next, "complete POST /c"),
            ]),
        Row(
            name: "with nothing behind it the connection closes at once",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.takeLeaving, "1 GET /a close"),
                (.answer(10, closes: true), "last"), (.out, "close"), (.out, "nil"),
            ]),
        Row(
            name: "what is no request is told of again until it is answered",
            steps: [
                (.receive("\u{1}\r\n"), "look"), (.next, "badRequestLine"),
                (.answer(10, closes: true), "last"),
                (.next, "none"),
            ]),
        Row(
            name: "a surplus connection is answered once",
            steps: [
                (.surplus, ""), (.receive(get), "look"), (.next, "GET /a"), (.take, "1 GET /a close"),
                (.idle(unsent: 0), "false"),
            ]),
        Row(
            name: "nothing happens behind the end",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.take, "1 GET /a"), (.wait(until: 9), ""),
                (.close, ""),
                (.resume(1), "nil"), (.receive(get), "-"), (.next, "none"), (.writable(true), "-"),
                (.at(9999), ""), (.sweep(unsent: 0), "nothing"), (.quiet, "false"),
                (.idle(unsent: 0), "false"),
            ]),
    ]

    static let pressure = [
        Row(
            name: "who takes no answers gets no more of them",
            steps: [
                (.receive(get + get), "look"), (.next, "GET /a"), (.skip, ""), (.writable(false), "-"),
                (.next, "none"), (.writable(true), "look"), (.next, "GET /a"),
            ]),
        Row(
            name: "room to write matters to who waits for nothing else",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.take, "1 GET /a"), (.wait(until: 9), ""),
                (.writable(false), "-"), (.writable(true), "-"), (.resume(1), "GET /a"),
            ]),
        Row(
            name: "reading stops at the limit, and goes on when requests were taken",
            steps: [
                (.mayRead, "true"), (.release, "false"),
                (.receive(get + String(repeating: "x", count: 32 << 10)), "look"),
                (.mayRead, "false"), (.release, "false"), (.next, "GET /a"), (.skip, ""), (.release, "false"),
                (.mayRead, "false"),
            ]),
        Row(
            name: "below it reading is let go on once",
            steps: [
                (.receive(String(repeating: get, count: 1200)), "look"), (.mayRead, "false"),
                (.next, "GET /a"), (.skip, ""), (.next, "GET /a"), (.skip, ""), (.next, "GET /a"),
            ] + Array(repeating: (.skip, ""), count: 30) + [(.release, "true"), (.release, "false")]),
    ]

    /// Timeouts in sweeps: 3 for a head, 6 for idling, 3 for lingering and surplus; 100 bytes a sweep.
    static let times = [
        Row(
            name: "an idle connection",
            steps: [
                (.at(5), ""), (.sweep(unsent: 0), "nothing"), (.at(6), ""), (.sweep(unsent: 0), "close"),
            ]),
        Row(
            name: "bytes keep it",
            steps: [
                (.at(5), ""), (.receive(get), "look"), (.next, "GET /a"), (.skip, ""), (.next, "none"),
                (.at(6), ""),
                (.sweep(unsent: 0), "nothing"), (.at(11), ""), (.sweep(unsent: 0), "nothing"), (.at(12), ""),
                (.sweep(unsent: 0), "close"),
            ]),
        Row(
            name: "a head counts from its first byte",
            steps: [
                (.receive("GET "), "look"), (.next, "none"), (.at(2), ""), (.receive("/a"), "look"),
                (.next, "none"),
                (.sweep(unsent: 0), "nothing"), (.at(3), ""), (.sweep(unsent: 0), "slowHead"),
            ]),
        Row(
            name: "each head anew",
            steps: [
                (.receive("GET "), "look"), (.next, "none"), (.at(2), ""),
                (.receive("/a HTTP/1.1\r\nHost: h\r\n\r\nGET"), "look"), (.next, "GET /a"), (.skip, ""),
                (.next, "none"),
                (.at(4), ""), (.sweep(unsent: 0), "nothing"), (.at(5), ""), (.sweep(unsent: 0), "slowHead"),
            ]),
        Row(
            name: "waiting is not idling, but has an end",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.take, "1 GET /a"), (.wait(until: 50), ""),
                (.at(49), ""),
                (.sweep(unsent: 0), "nothing"), (.extend(1, until: 60), ""), (.extend(2, until: 51), ""),
                (.at(59), ""),
                (.sweep(unsent: 0), "nothing"), (.at(60), ""), (.sweep(unsent: 0), "overdue(1)"),
                (.resume(1), "GET /a"), (.at(61), ""), (.sweep(unsent: 0), "nothing"),
            ]),
        Row(
            name: "a silent surplus connection",
            steps: [
                (.surplus, ""), (.at(2), ""), (.sweep(unsent: 0), "nothing"), (.at(3), ""),
                (.sweep(unsent: 0), "silentSurplus"),
            ]),
        Row(
            name: "a client gets a moment to take note of the last answer",
            steps: [
                (.receive(post), "look"), (.next, "POST /c"), (.take, "1 POST /c close"),
                (.answer(10, closes: true), "last"), (.at(4), ""), (.sweep(unsent: 0), "nothing"),
                (.out, "closeOutput"), (.at(6), ""),
                (.sweep(unsent: 0), "nothing"), (.at(7), ""), (.sweep(unsent: 0), "close"),
            ]),
        Row(
            name: "who takes the last answer slowly isn't idle, who takes none of it is",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.takeLeaving, "1 GET /a close"),
                (.answer(1000, closes: true), "last"), (.at(5), ""), (.sweep(unsent: 500), "nothing"),
                (.at(9), ""),
                (.sweep(unsent: 10), "nothing"), (.at(14), ""), (.sweep(unsent: 10), "nothing"),
                (.at(15), ""),
                (.sweep(unsent: 10), "close"),
            ]),
        Row(
            name: "nor is who takes too little",
            steps: [
                (.receive(get), "look"), (.next, "GET /a"), (.take, "1 GET /a"),
                (.answer(10_000, closes: false), "goes on"), (.next, "none"), (.at(3), ""),
                (.sweep(unsent: 9701), "nothing"), (.at(6), ""), (.sweep(unsent: 9401), "close"),
            ]),
        Row(
            name: "idle ones and slow heads give way, others don't",
            steps: [
                (.idle(unsent: 0), "true"), (.idle(unsent: 1), "false"), (.receive("GET"), "look"),
                (.next, "none"),
                (.at(1), ""), (.idle(unsent: 0), "false"), (.at(2), ""), (.idle(unsent: 0), "true"),
                (.receive(" /a HTTP/1.1\r\nHost: h\r\n\r\n"), "look"), (.next, "GET /a"), (.take, "1 GET /a"),
                (.wait(until: 9), ""), (.idle(unsent: 0), "false"),
            ]),
    ]

    @Test(arguments: requests + proxiedBodies + pressure + times + ends)
    func `A connection does what follows from what happened`(_ row: Row) {
        var run = MachineRun()
        for (index, (step, expected)) in row.steps.enumerated() {
            #expect(run.take(step) == expected, "step \(index): \(step)")
        }
    }

    @Test func `63.6 A client that got GOAWAY has a moment, and longer for streams`() {
        var limits = GatewayLimits()
        limits.idleTimeout = 5
        let timeout = ConnectionStateMachine.Timeouts(limits, sweepSeconds: 1)
        var machine = ConnectionStateMachine(limits: limits, sweep: 0)
        func due(_ sweep: Int) -> ConnectionStateMachine.Due {
            machine.sweep(sweep, unsentBytes: 0, timeout: timeout)
        }
        machine.carryStreams(sweep: 0)
        #expect(due(5) == .nothing)
        #expect(due(6) == .goAway)
        // The client had not read the GOAWAY yet.
        machine.beginStream(sweep: 7)
        machine.goAway(sweep: 8)
        #expect(due(100) == .nothing)
        machine.endStream(sweep: 100, isLeaving: true)
        #expect(due(102) == .nothing)
        #expect(due(103) == .close)
    }

    @Test func `Bytes that were answered make room for others`() {
        var machine = ConnectionStateMachine(limits: GatewayLimits(), sweep: 0)
        for _ in 0..<5000 {
            // One byte is missing, so that the buffer is never empty.
            _ = machine.receive(ByteBuffer(string: String(Self.get.dropFirst()) + "G"), sweep: 0)
            if case .request(let head) = machine.next(sweep: 0) { machine.skip(head, answeredWith: 1) }
            if machine.input.readableBytes == 0 { _ = machine.receive(ByteBuffer(string: "G"), sweep: 0) }
        }
        #expect(machine.input.capacity < 256 << 10)
    }
}
