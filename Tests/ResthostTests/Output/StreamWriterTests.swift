import Synchronization
import TestSupport
import Testing

@testable import resthost

struct StreamWriterTests {
    /// A reader that takes no bytes until the test lets it.
    private final class SlowReader: Sendable {
        let taken = Mutex<[[UInt8]]>([])
        let reports = Mutex<[Int]>([])
        let gate = Gate()

        func take(_ bytes: [UInt8]) {
            gate.wait()
            taken.withLock { $0.append(bytes) }
        }
    }

    @Test func `lines for which there is no room are dropped and counted, and nobody waits`() throws {
        let reader = SlowReader()
        let writer = try #require(
            StreamWriter(name: "test", write: { reader.take($0) }) { count in
                reader.reports.withLock { $0.append(count) }
            })
        let line = [UInt8](repeating: 0x61, count: 1 << 20)
        for _ in 0..<10 { writer.add(line) }
        #expect(writer.dropped == 6)
        writer.finish(within: 0)
        reader.gate.open()
        writer.finish(within: Double(TestTimeout.limit))
        #expect(reader.taken.withLock { $0.count } == 4)
        #expect(reader.reports.withLock { $0 } == [6])
        writer.add([1])
        writer.finish(within: Double(TestTimeout.limit))
        #expect(reader.taken.withLock { $0.last } == [1] && writer.dropped == 6)
    }

    @Test func `empty lines have a number`() throws {
        let reader = SlowReader()
        let writer = try #require(StreamWriter(name: "test", write: { reader.take($0) }) { _ in })
        for _ in 0..<200_000 { writer.add([0x0A]) }
        // As many as may wait, and those that the writer has taken meanwhile.
        #expect(writer.dropped > 60_000)
        reader.gate.open()
        writer.finish(within: Double(TestTimeout.limit))
        #expect(reader.taken.withLock { $0.count } == 200_000 - writer.dropped)
    }

    @Test func `one long line is taken when nothing waits`() throws {
        let reader = SlowReader()
        let writer = try #require(StreamWriter(name: "test", write: { reader.take($0) }) { _ in })
        reader.gate.open()
        writer.add([UInt8](repeating: 0x61, count: 8 << 20))
        writer.finish(within: Double(TestTimeout.limit))
        #expect(reader.taken.withLock { $0.map(\.count) } == [8 << 20])
    }
}
