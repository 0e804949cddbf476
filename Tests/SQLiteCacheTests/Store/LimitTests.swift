import RestEngine
import TestSupport
import Testing

@testable import SQLiteCache

struct LimitTests {
    /// Slightly more than the counted size of one sample.
    private static let size = 1_180

    private func size(_ store: EntityStore) throws -> Int { try #require(store.database).size() }

    @Test func `entries make room, the least recently used first`() throws {
        let folder = CacheFolder()
        let store = folder.store(maxBytes: 10 * Self.size)
        for number in 0..<8 { store.write(.sample(number), "\(number)") }
        #expect(store.numbers(0..<2) == [0, 1], "reading makes them the last ones used")
        for number in 8..<12 { store.write(.sample(number), "\(number)") }
        let left = store.numbers(0..<12)
        #expect(left.starts(with: [0, 1]) && left.suffix(4) == [8, 9, 10, 11], "\(left)")
        #expect(left.count <= 10 && left.count > 6, "\(left)")
        #expect(try size(store) <= 10 * Self.size)
        store.close()
    }

    @Test func `the limit holds for any mix of sizes, and the newest entry stays`() throws {
        let folder = CacheFolder()
        let store = folder.store(maxBytes: 50_000)
        var random = SeededRandom(seed: 3)
        for number in 0..<400 {
            let url = "\(random.int(below: 60))"
            let size = random.int(below: 20) == 0 ? 40_000 : random.int(below: 3000)
            #expect(store.write(.sample(number, size: size), url) == nil)
            #expect(store.text(url) == SampleEntities.text(of: .sample(number, size: size)))
            #expect(try self.size(store) <= 50_000)
            if random.int(below: 10) == 0 { store.remove("\(random.int(below: 60))") }
        }
        store.close()
        #expect(try folder.integer("SELECT size - (SELECT sum(size) FROM entry) FROM total") == 0)
        #expect(
            try folder.integer("SELECT count(*) FROM content WHERE id NOT IN (SELECT id FROM entry)") == 0)
        #expect(folder.bytes().count < 200_000, "room that was freed is used again")
    }

    @Test func `an entity larger than the limit is not kept, nor what it replaces`() throws {
        let folder = CacheFolder()
        let store = folder.store(maxBytes: 5000)
        store.write(.sample(1), "1")
        store.write(.sample(2), "2")
        #expect(store.write(.sample(3, size: 5000), "2") == nil)
        #expect(store.numbers(0..<3) == [1])
        #expect(folder.log.first?.hasPrefix("cache: not kept in") == true)
        store.close()
    }

    @Test func `a limit that became lower holds from the next write on`() throws {
        let folder = CacheFolder()
        folder.fill(40)
        let store = folder.store(maxBytes: 10 * Self.size)
        store.write(.sample(40), "40")
        #expect(try size(store) <= 9 * Self.size)
        #expect(store.numbers(0..<41).last == 40)
        store.close()
    }

    @Test func `reads are written in batches, and on closing`() throws {
        let folder = CacheFolder()
        folder.fill(3)
        func order() throws -> [Int64] {
            try (0..<3).map { try folder.integer("SELECT accessed FROM entry WHERE url = '\($0)'") }
        }
        let first = try order()
        var store = folder.store(maxNotedReads: 2)
        #expect(store.has("0"))
        store.writeReadsIfMany()
        #expect(try order() == first, "one read is not written")
        #expect(store.has("0") && store.has("1"))
        store.writeReadsIfMany()
        let second = try order()
        #expect(second[2] < second[0] && second[0] < second[1])
        #expect(store.has("2"))
        store.close()
        let third = try order()
        #expect(third[2] > third[1])
        store = folder.store()
        store.close()
        #expect(try order() == third)
    }
}
