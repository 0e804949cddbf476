import Platform
import RestEngine
import TestSupport
import Testing

@testable import resthost

/// The messages between a supervisor and its workers.
struct WorkerMessageTests {
    private static let files: SourceSnapshot.Files = [
        "main.lua": Array("return 1".utf8), "lib/empty.lua": [], "lib/missing.lua": nil,
        "bytes": [0, 255, 10],
    ]

    @Test func `files of a version travel as they are`() throws {
        let read = try #require(SourceCoding.files(SourceCoding.bytes(Self.files)))
        #expect(read.count == 4)
        for (path, text) in Self.files { #expect(read[path] == .some(text)) }
        #expect(SourceCoding.files([]) == [:])
    }

    @Test func `bytes that are cut are no files`() {
        let bytes = SourceCoding.bytes(["main.lua": Array("text".utf8)])
        for length in 1..<bytes.count { #expect(SourceCoding.files(Array(bytes[..<length])) == nil) }
    }

    @Test func `reports arrive as they were sent`() throws {
        guard let ends = MessageSocket.pair() else { return }
        let (one, two) = (ends.0, MessageSocket(ends.descriptor))
        let report = WorkerReport.tried(round: 3, failure: ["message": "bad"], Self.files)
        try one.send(report.message)
        try one.send(WorkerReport.watches(["a", "b"], readFrom: 2.5).message)
        guard case .tried(3, let failure, let files)? = WorkerReport(try two.receive().message) else {
            Issue.record("it is another report")
            return
        }
        #expect(failure?["message"]?.string == "bad" && files["bytes"] == .some([0, 255, 10]))
        guard case .watches(let names, let start)? = WorkerReport(try two.receive().message) else {
            Issue.record("it is another report")
            return
        }
        #expect(names == ["a", "b"] && start == 2.5)
    }

    @Test func `orders arrive as they were sent`() throws {
        let start = WorkerStart(
            worker: WorkerNumber(number: 2, count: 3), supervisor: 77, generation: 4, sources: Self.files,
            addresses: ["127.0.0.1:80"], isSuccessor: true, beat: 0.5, token: "t")
        guard case .begin(let read)? = WorkerOrder(WorkerOrder.begin(start).message) else {
            Issue.record("it is another order")
            return
        }
        #expect(
            read.worker == start.worker && read.supervisor == 77 && read.generation == 4
                && read.addresses == ["127.0.0.1:80"])
        #expect(read.sources?.count == 4 && read.isSuccessor && read.beat == 0.5 && read.token == "t")
        for trigger in [ReloadTrigger.signal, .request, .files(["a", "b"])] {
            let order = WorkerOrder.reload(round: 1, trigger, Self.files)
            guard case .reload(1, let other, _)? = WorkerOrder(order.message) else {
                Issue.record("it is another order")
                return
            }
            #expect(other == trigger)
        }
        guard case .tryLoad(1, nil)? = WorkerOrder(WorkerOrder.tryLoad(round: 1, nil).message) else {
            Issue.record("it has files")
            return
        }
    }

    @Test func `a descriptor comes with its message`() throws {
        guard let ends = MessageSocket.pair() else { return }
        let (one, two) = (ends.0, MessageSocket(ends.descriptor))
        var pipes: [Int32] = [-1, -1]
        #expect(pipe(&pipes) == 0)
        try one.send(.init(head: ["n": 1]))
        try one.send(.init(head: ["n": 2]), passing: pipes[0])
        #expect(try two.receive().passed == -1)
        let passed = try two.receive().passed
        #expect(passed >= 0 && passed != pipes[0])
        var byte: UInt8 = 7
        #expect(write(pipes[1], &byte, 1) == 1)
        byte = 0
        #expect(read(passed, &byte, 1) == 1 && byte == 7)
        for descriptor in pipes + [passed] { close(descriptor) }
    }

    @Test(arguments: [
        [255, 255, 255, 255, 0, 0, 0, 0], [1, 0, 0, 0, 2, 0, 0, 0], [4, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4],
    ])
    func `bytes that are no message break the connection`(bytes: [UInt8]) {
        guard let ends = MessageSocket.pair() else { return }
        #expect(write(ends.descriptor, bytes, bytes.count) == bytes.count)
        #expect(throws: MessageSocket.Fault.self) { try ends.0.receive() }
        close(ends.descriptor)
    }

    @Test func `the end of the other process is noticed`() {
        guard let ends = MessageSocket.pair() else { return }
        close(ends.descriptor)
        #expect(throws: MessageSocket.Fault.self) { try ends.0.receive() }
        #expect(throws: MessageSocket.Fault.self) { try ends.0.send(.init(head: ["n": 1])) }
    }
}
