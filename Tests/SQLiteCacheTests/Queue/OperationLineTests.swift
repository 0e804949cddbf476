import RestEngine
import TestSupport
import Testing

@testable import SQLiteCache

struct OperationLineTests {
    /// `ra` reads a, `wa` writes it, `ta` sets its time, `da` removes it.
    private func operation(_ text: Substring) -> Operation {
        let action: Operation.Action =
            switch text.first {
            case "w": .write(.text("x"))
            case "t": .updateTimestamp(1)
            case "d": .remove
            case "a": .removeAll { _, _ in true }
            default: .read
            }
        return Operation(key: EntryKey(String(text.dropFirst())), action: action)
    }

    private func text(_ operations: [Operation]) -> String {
        operations.map { operation in
            let letter =
                switch operation.action {
                case .read: "r"
                case .write: "w"
                case .updateTimestamp: "t"
                case .remove: "d"
                case .removeAll: "a"
                }
            return letter + operation.key.url
        }.joined(separator: " ")
    }

    @Test(arguments: [
        ("", "", ""), ("ra", "ra", ""), ("wa", "", "wa"), ("wa ra", "", "wa ra"), ("ra wa", "ra", "wa"),
        ("wa rb", "rb", "wa"), ("wa rb ra rb", "rb rb", "wa ra"),
        ("ta ra da rb wb rb", "rb", "ta ra da wb rb"), ("rb ax rb rc", "rb", "ax rb rc"),
    ])
    func `a read goes first unless its key is changed before`(line: String, reads: String, others: String) {
        var queue = OperationLine()
        queue.append(line.split(separator: " ").map(operation))
        let batch = queue.takeBatch()
        #expect(text(batch.reads) == reads)
        #expect(text(batch.others) == others)
        #expect(queue.isEmpty)
    }

    @Test func `a batch is limited in number and in weight`() {
        var queue = OperationLine()
        queue.append((0..<100).map { operation("w\($0)") } + [operation("rx"), operation("r99")])
        var batch = queue.takeBatch()
        #expect(text(batch.reads) == "rx" && batch.others.count == OperationLine.maxOthers)
        queue.append([operation("ry"), operation("r0")])
        batch = queue.takeBatch()
        #expect(text(batch.reads) == "ry r0", "what a batch before it wrote can be read first")
        #expect(text(batch.others).hasSuffix("w98 w99 r99") && queue.isEmpty)
        let heavy = Entity(
            content: .bytes([UInt8](repeating: 0, count: OperationLine.maxWeight)), timestamp: 0)
        queue.append((0..<3).map { Operation(key: EntryKey("\($0)"), action: .write(heavy)) })
        for number in 0..<3 { #expect(text(queue.takeBatch().others) == "w\(number)") }
        #expect(queue.isEmpty)
    }

    @Test func `any line is worked off, and each key in its order`() {
        var random = SeededRandom(seed: 9)
        for _ in 0..<200 {
            var queue = OperationLine()
            var done: [Substring: [Substring]] = [:]
            var asked = done
            for _ in 0..<random.int(below: 5) {
                let texts: [Substring] = (0..<random.int(below: 400)).map { _ in
                    let action = ["r", "w", "t", "d"][random.int(below: 4)]
                    return Substring(action + ["a", "b", "c", "d", "e"][random.int(below: 5)])
                }
                for text in texts { asked[text.suffix(1), default: []].append(text) }
                queue.append(texts.map(operation))
                take(&queue, &done)
            }
            while !queue.isEmpty { take(&queue, &done) }
            #expect(done == asked)
        }
    }

    private func take(_ queue: inout OperationLine, _ done: inout [Substring: [Substring]]) {
        let wasEmpty = queue.isEmpty
        let batch = queue.takeBatch()
        #expect(wasEmpty || !(batch.reads + batch.others).isEmpty)
        for text in text(batch.reads + batch.others).split(separator: " ") {
            done[text.suffix(1), default: []].append(text)
        }
    }
}
