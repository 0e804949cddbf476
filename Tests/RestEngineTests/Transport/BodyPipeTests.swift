import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import RestEngine

@Suite struct BodyPipeTests {
    /// The answers of the state, in words.
    private final class Ends {
        var state: BodyPipeState

        init(_ capacity: Int) { state = BodyPipeState(capacity: capacity) }

        /// Whether there is room for more, and the notification of the other end.
        func write(_ text: String) -> String {
            (state.write(Array(text.utf8)) ? "more" : "wait") + signal
        }

        func read(_ count: Int) -> String {
            var buffer = [UInt8](repeating: 0, count: count)
            switch buffer.withUnsafeMutableBytes({ state.read(into: $0) }) {
            case .bytes(let count): return String(decoding: buffer[..<count], as: UTF8.self) + signal
            case .nothing: return "nothing" + signal
            case .end: return "end" + signal
            case .broken(let error): return error.code.rawValue + signal
            }
        }

        func end(_ end: BodyPipeState.End) -> String {
            state.end(end)
            return signal
        }

        func close() -> String {
            state.close()
            return signal
        }

        private var signal: String { state.takeSignal().map { ", \($0)" } ?? "" }
    }

    @Test func `69.1 No bytes are taken before the reader starts`() {
        let pipe = Ends(10)
        #expect(pipe.write("ab") == "wait")
        #expect(pipe.read(5) == "ab, room")
        #expect(pipe.write("c") == "more")
    }

    @Test func `69.1 A writer waits from the capacity on until half of it is there`() {
        let pipe = Ends(10)
        #expect(pipe.read(1) == "nothing, room")
        #expect(pipe.write("123456789") == "more, readable")
        #expect(pipe.write("0abcde") == "wait")
        #expect(pipe.state.count == 15)
        #expect(pipe.read(4) == "1234" && pipe.read(5) == "56789" && pipe.read(1) == "0, room")
        #expect(pipe.read(9) == "abcde" && pipe.read(9) == "nothing")
    }

    @Test func `69.1 The end comes behind the bytes, and what breaks off at once`() {
        let whole = Ends(10)
        #expect(whole.write("ab") == "wait" && whole.end(.whole) == "")
        #expect(whole.write("c") == "more", "behind the end nothing is taken")
        #expect(whole.read(1) == "a" && whole.read(9) == "b" && whole.read(9) == "end")
        let broken = Ends(10)
        #expect(broken.write("ab") == "wait" && broken.read(2) == "ab, room")
        #expect(broken.read(1) == "nothing" && broken.end(.broken(.offline)) == ", readable")
        #expect(broken.read(9) == "offline")
        let full = Ends(10)
        #expect(full.write("ab") == "wait" && full.end(.broken(.offline)) == "")
        #expect(full.state.count == 0 && full.read(9) == "offline")
    }

    @Test func `69.1 A writer without a reader is notified, and no bytes are kept`() {
        let pipe = Ends(2)
        #expect(pipe.write("abc") == "wait" && pipe.close() == ", room")
        #expect(pipe.state.count == 0)
        #expect(pipe.write("def") == "more" && pipe.state.count == 0)
        #expect(pipe.close() == "")
    }

    @Test func `small writes are put together`() {
        let pipe = BodyPipe(length: nil, capacity: 1 << 20)
        for byte in 0..<100 { pipe.write([UInt8(byte)]) }
        guard case .bytes(let bytes) = pipe.next() else {
            Issue.record("there are bytes")
            return
        }
        #expect(bytes == Array(0..<100))
        #expect(pipe.isSpent)
    }

    @Test func `69.1 Between two threads everything arrives, and little is ahead`() async {
        let pipe = BodyPipe(length: nil, capacity: 1000)
        let room = Room()
        pipe.onRoom { room.isThere.store(true, ordering: .releasing) }
        PeerThread.start {
            for number in 0..<5000 {
                if pipe.write(Array(repeating: UInt8(truncatingIfNeeded: number), count: 100)) { continue }
                while !room.isThere.exchange(false, ordering: .acquiring) { sched_yield() }
            }
            pipe.finish()
        }
        var (count, most) = (0, 0)
        var isInOrder = true
        var buffer = [UInt8](repeating: 0, count: 70)
        reading: while true {
            var step = BodyPipe.Step<Int>.nothing
            await yielding(until: "there is more to read") {
                most = max(most, pipe.waitingBytes)
                step = buffer.withUnsafeMutableBytes { pipe.read(into: $0) }
                if case .nothing = step { return false }
                return true
            }
            switch step {
            case .bytes(let read):
                for byte in buffer[..<read] {
                    if byte != UInt8(truncatingIfNeeded: count / 100) { isInOrder = false }
                    count += 1
                }
            case .nothing, .end, .broken: break reading
            }
        }
        #expect(count == 500_000 && isInOrder)
        #expect(most <= 1200)
    }

    @Test(arguments: [true, false])
    func `69.5 A pipe that has ended holds neither of its ends`(isClosed: Bool) {
        final class End: Sendable {}
        let pipe = BodyPipe()
        weak var reader: End?
        weak var writer: End?
        func connect() {
            let ends = (End(), End())
            (reader, writer) = ends
            pipe.onReadable { withExtendedLifetime(ends.0) {} }
            pipe.onRoom { withExtendedLifetime(ends.1) {} }
        }
        connect()
        #expect(reader != nil && writer != nil)
        isClosed ? pipe.close() : pipe.finish()
        #expect(reader == nil && writer == nil)
        connect()
        #expect(reader == nil && writer == nil)
    }

    private final class Room: Sendable {
        let isThere = Atomic(false)
    }
}

@Suite(.leakChecked) @EngineActor
struct StreamedBodyTests {
    let fixture = EngineFixture()

    private func send(_ pipe: BodyPipe, _ method: RestEngine.Method = .put) -> Request {
        fixture.resource("a").request(method, RequestOptions(body: .stream(pipe), contentType: "text/plain"))
    }

    private func said(of request: Request) -> String {
        request.info?.response.error.map { "\($0)" } ?? "nothing"
    }

    @Test func `69.4 A body is written while it is sent`() async throws {
        let stub = try fixture.stub("PUT", "a", .text(200, "ok"))
        let pipe = BodyPipe()
        let request = send(pipe)
        fixture.settle()
        #expect(stub.requests.isEmpty)
        for part in ["he", "llo"] {
            pipe.write(Array(part.utf8))
            await Task.yield()
        }
        pipe.finish()
        await yielding(until: "the request ends") {
            fixture.settle()
            return request.info != nil
        }
        #expect(stub.requests.map(\.body) == [Array("hello".utf8)])
        #expect(stub.requests.first?.headers["Content-Type"] == "text/plain")
    }

    @Test func `69.4 Where it would be sent a second time, that is said`() throws {
        try fixture.stub("PUT", "a", .response(307, headers: ["Location": "/v1/b"]))
        let pipe = BodyPipe()
        pipe.write(Array("hello".utf8))
        pipe.finish()
        let request = send(pipe)
        fixture.settle()
        #expect(fixture.transport.requests.map(\.body) == [Array("hello".utf8)])
        let error = try #require(request.info?.response.error)
        #expect(error.httpStatusCode == 307)
        #expect("\(error)".contains("its body was streamed, and is gone"))
        let again = request.repeated().start()
        fixture.settle()
        #expect(said(of: again).contains("can't be sent again"))
        #expect(fixture.transport.requests.count == 1)
    }

    @Test func `69.4 A request is sent again for as long as nothing of its body was read`() throws {
        try fixture.configure { $0.configuration.retry = RetryPolicy() }
        try fixture.stub("PUT", "a", .text(503, "busy"))
        let pipe = BodyPipe()
        pipe.write(Array("hello".utf8))
        pipe.finish()
        let request = send(pipe)
        for _ in 0..<10 { fixture.advance(20) }
        #expect(fixture.transport.requests.count == 1, "the stub has read it")
        #expect(request.info?.response.error?.httpStatusCode == 503)

        let (transport, clock) = (StreamTransport(), ManualClock())
        let engine = Engine(transport: transport, scheduler: Scheduler(clock: clock))
        let service = Service(engine: engine, name: "other", baseURL: try BaseURL("https://api.test"))
        service.configure { $0.retry = RetryPolicy() }
        let other = service.resource("a").request(.put, RequestOptions(body: .stream(BodyPipe())))
        transport.streams[0].complete(.failure(TransportError(.connectionFailed, message: "refused")))
        for _ in 0..<50 where transport.streams.count < 2 {
            clock.advance(by: 1)
            while engine.scheduler.runTick() {}
        }
        #expect(transport.streams.count == 2)
        other.cancel()
        while engine.scheduler.runTick() {}
    }

    @Test func `69.4 A body that breaks off fails the request`() throws {
        try fixture.stub("PUT", "a", .text(200, "ok"))
        let pipe = BodyPipe()
        pipe.fail(TransportError(.internal, phase: .send, message: "the client is gone"))
        let request = send(pipe)
        fixture.settle()
        #expect(said(of: request).contains("the client is gone"))
        #expect(fixture.transport.requests.isEmpty)
    }
}

/// Bodies with an announced length (rules 79).
struct BodyLengthTests {
    /// All bytes that a reader gets, and how the body ends.
    private func read(_ pipe: BodyPipe) -> (bytes: [UInt8], end: String) {
        var bytes: [UInt8] = []
        while true {
            switch pipe.next() {
            case .bytes(let some): bytes += some
            case .nothing: return (bytes, "open")
            case .end: return (bytes, "whole")
            case .broken(let error): return (bytes, error.message)
            }
        }
    }

    @Test func `79.9 a body that is longer than announced is an error, however it is read`() {
        let early = BodyPipe(length: 2)
        early.write([1, 2, 3])
        early.finish()
        #expect(read(early).end == "the body is longer than the 2 bytes that were announced")
        // A reader that takes what there is gets the last byte only with the end.
        let late = BodyPipe(length: 2)
        late.write([1, 2])
        #expect(read(late) == ([1], "open"))
        late.write([3])
        #expect(read(late).end == "the body is longer than the 2 bytes that were announced")
    }

    @Test func `79.9 a body that is shorter is an error`() {
        let pipe = BodyPipe(length: 3)
        pipe.write([1, 2])
        #expect(read(pipe) == ([1, 2], "open"))
        pipe.finish()
        #expect(read(pipe).end == "the body is shorter than the 3 bytes that were announced")
    }

    @Test(arguments: 1...5) func `79.9 a body of the announced length is whole`(_ piece: Int) {
        let bytes = Array<UInt8>(0..<20)
        let pipe = BodyPipe(length: 20)
        var got: [UInt8] = []
        for start in stride(from: 0, to: 20, by: piece) {
            pipe.write(Array(bytes[start..<min(20, start + piece)]))
            var part = [UInt8](repeating: 0, count: 3)
            if case .bytes(let count) = part.withUnsafeMutableBytes({ pipe.read(into: $0) }) {
                got += part[..<count]
            }
        }
        pipe.finish()
        let (rest, end) = read(pipe)
        #expect(got + rest == bytes && end == "whole")
        let empty = BodyPipe(length: 0)
        empty.finish()
        #expect(read(empty) == ([], "whole"))
    }
}
