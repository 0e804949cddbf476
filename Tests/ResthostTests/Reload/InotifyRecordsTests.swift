import TestSupport
import Testing

@testable import resthost

struct InotifyRecordsTests {
    private func bytes(_ watch: Int32, _ mask: UInt32, _ name: String, padding: Int) -> [UInt8] {
        let name = Array(name.utf8) + Array(repeating: 0, count: padding)
        var bytes: [UInt8] = []
        withUnsafeBytes(of: watch) { bytes += $0 }
        withUnsafeBytes(of: mask) { bytes += $0 }
        withUnsafeBytes(of: UInt32(7)) { bytes += $0 }
        withUnsafeBytes(of: UInt32(name.count)) { bytes += $0 }
        return bytes + name
    }

    private func read(_ bytes: some Sequence<UInt8>) -> [InotifyRecords.Record] {
        Array(bytes).withUnsafeBytes { InotifyRecords.read($0) }
    }

    @Test func `records follow each other, names are filled up`() {
        let all =
            bytes(1, 2, "main.lua", padding: 8) + bytes(-1, 0x4000, "", padding: 0)
            + bytes(3, 8, "ä", padding: 1)
        let expected: [InotifyRecords.Record] = [
            .init(watch: 1, mask: 2, name: "main.lua"), .init(watch: -1, mask: 0x4000, name: ""),
            .init(watch: 3, mask: 8, name: "ä"),
        ]
        #expect(read(all) == expected)
        #expect(read(all.dropLast()) == Array(expected.dropLast()))
        #expect(read([]).isEmpty)
    }

    @Test func `whatever the bytes, nothing is read beyond them`() {
        var random = SeededRandom(seed: 31)
        for _ in 0..<5000 {
            var all = bytes(1, 2, "name", padding: 4) + bytes(2, 4, "other", padding: 3)
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                all[Int.random(in: 0..<all.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            all.removeLast(Int.random(in: 0...all.count, using: &random))
            let records = read(all)
            #expect(records.count * InotifyRecords.headBytes <= all.count)
        }
    }
}
