import RestEngine
import TestSupport
import Testing

@testable import SQLiteCache

struct DamageTests {
    private static let pageSize = 4096
    /// The header of a cache file, without content.
    private static let header: [UInt8] = {
        let folder = CacheFolder()
        folder.fill(1)
        return Array(folder.bytes()[..<100])
    }()

    enum Damage: CaseIterable {
        case headerAlone, garbagePages, truncated, otherVersion, lostTable, lostColumn
    }

    private func inflict(_ damage: Damage, _ folder: CacheFolder) throws {
        var bytes = folder.bytes()
        var random = SeededRandom(seed: 1)
        switch damage {
        case .headerAlone: bytes = Array(bytes[..<100])
        case .garbagePages:
            for index in 100..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        case .truncated: bytes = Array(bytes[..<(2 * Self.pageSize + 7)])
        case .otherVersion: return try folder.run("PRAGMA user_version = 99")
        case .lostTable: return try folder.run("DROP TABLE content")
        case .lostColumn: return try folder.run("ALTER TABLE content RENAME COLUMN entity TO other")
        }
        folder.overwrite(bytes)
    }

    @Test(arguments: Damage.allCases)
    func `a damaged file is moved aside, with one warning, and a new one begun`(damage: Damage) throws {
        let folder = CacheFolder()
        folder.fill()
        try inflict(damage, folder)
        let store = folder.store()
        #expect(store.numbers(0..<40) == [])
        for number in 0..<10 { #expect(store.write(.sample(number), "\(number)") == nil) }
        #expect(store.numbers(0..<40) == Array(0..<10))
        store.close()
        #expect(folder.names.filter { !$0.hasSuffix("-wal") } == ["cache.sqlite", "cache.sqlite.damaged-1"])
        #expect(folder.log.count == 1, "\(folder.log)")
        let warning = try #require(folder.log.first)
        #expect(warning.hasPrefix("warning: the cache '\(folder.file)' is damaged ("))
        #expect(warning.hasSuffix("it is now '\(folder.file).damaged-1', and a new one begins"))
        #expect(folder.mode("cache.sqlite") == 0o600)
    }

    @Test func `damage that shows under an open store is no end of it`() throws {
        let folder = CacheFolder()
        folder.fill(400)
        let store = folder.store()
        #expect(store.has("0"))
        var bytes = folder.bytes()
        for index in 100..<bytes.count { bytes[index] = 0xA5 }
        folder.overwrite(bytes)
        for number in 1..<400 {
            let text = store.text("\(number)")
            #expect(text == "none" || text == SampleEntities.text(of: .sample(number)))
        }
        #expect(store.write(.sample(1), "1") == nil)
        #expect(store.numbers(0..<400) == [1])
        #expect(folder.log.filter { $0.hasPrefix("warning: ") }.count == 1)
        store.close()
    }

    @Test func `tables that go under an open store are no end of it`() throws {
        for change in ["DROP TABLE content", "DROP TABLE entry", "DELETE FROM total"] {
            let folder = CacheFolder()
            folder.fill(3)
            let store = folder.store()
            #expect(store.has("0"))
            try folder.run(change)
            #expect(store.write(.sample(1), "1") == nil)
            #expect(store.numbers(0..<3) == [1])
            #expect(folder.log.filter { $0.hasPrefix("warning: ") }.count == 1, "\(change)")
            store.close()
        }
    }

    @Test func `a few damaged files are kept, the newest as number one`() throws {
        let folder = CacheFolder()
        for number in 1...5 {
            folder.overwrite(Self.header + Array("damage number \(number)".utf8))
            let store = folder.store()
            #expect(!store.has("x"))
            store.close()
        }
        #expect(
            folder.names == ["cache.sqlite"] + (1...3).map { "cache.sqlite.damaged-\($0)" })
        for number in 1...3 {
            #expect(
                folder.bytes("cache.sqlite.damaged-\(number)")
                    == Self.header + Array("damage number \(6 - number)".utf8))
        }
    }

    @Test func `an old log never plays into a new file`() throws {
        let folder = CacheFolder()
        let old = folder.store()
        for number in 0..<20 { old.write(.sample(number), "\(number)") }
        try folder.run("PRAGMA user_version = 99")
        let (file, log) = (folder.bytes(), folder.bytes("cache.sqlite-wal"))
        old.close()
        #expect(!log.isEmpty)
        folder.overwrite(file)
        folder.overwrite(log, "cache.sqlite-wal")
        let store = folder.store()
        #expect(store.numbers(0..<20) == [])
        store.write(.sample(20), "20")
        #expect(store.numbers(0..<21) == [20])
        store.close()
    }

    @Test func `a file is moved aside with its side files, and only while it is the damaged one`() throws {
        let folder = CacheFolder()
        let file = DatabaseFile(path: folder.file)
        let sideFiles = ["", "-journal", "-shm", "-wal"]
        for sideFile in sideFiles { folder.overwrite(Self.header, "cache.sqlite" + sideFile) }
        let damaged = file.identity
        #expect(try file.moveAside(nil, .cache) == nil)
        #expect(try file.moveAside(damaged, .cache) == "\(folder.file).damaged-1")
        #expect(folder.names == sideFiles.map { "cache.sqlite.damaged-1" + $0 })
        folder.overwrite(Self.header)
        #expect(try file.moveAside(damaged, .cache) == nil, "another process was first")
        #expect(try file.moveAside(file.identity, .cache) == "\(folder.file).damaged-1")
        #expect(
            folder.names == ["cache.sqlite.damaged-1"] + sideFiles.map { "cache.sqlite.damaged-2" + $0 })
    }

    @Test func `an entry that is no entity is removed and counts as missing`() throws {
        let folder = CacheFolder()
        folder.fill(4)
        try folder.run("UPDATE content SET entity = x'00' WHERE id = 1")
        try folder.run("UPDATE content SET entity = 'text' WHERE id = 2")
        try folder.run("DELETE FROM content WHERE id = 3")
        let store = folder.store()
        #expect(store.numbers(0..<4) == [3])
        store.close()
        #expect(try folder.integer("SELECT count(*) FROM entry") == 1)
        #expect(try folder.integer("SELECT count(*) FROM content") == 1)
        #expect(folder.log.allSatisfy { $0.hasPrefix("cache: an entity in ") })
        #expect(folder.log.count == 3)
    }

    @Test func `a damaged file gives true entities or none`() throws {
        var random = SeededRandom(seed: 22)
        let folder = CacheFolder()
        folder.fill(30)
        let healthy = folder.bytes()
        var survivals = 0
        for round in 0..<150 {
            var bytes = healthy
            for _ in 0...random.int(below: 4) {
                let place = random.int(below: bytes.count)
                let end = min(bytes.count, place + 1 + random.int(below: 300))
                switch random.int(below: 5) {
                case 0: bytes[place] ^= 1 << UInt8(random.int(below: 8))
                case 1: for index in place..<end { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
                case 2: for index in place..<end { bytes[index] = 0 }
                case 3:
                    // Swaps pages.
                    let (a, b) = (random.int(below: bytes.count / 4096), place / 4096)
                    let page = bytes[(a * 4096)..<((a + 1) * 4096)]
                    bytes.replaceSubrange((b * 4096)..<((b + 1) * 4096), with: page)
                default: if random.int(below: 8) == 0 { bytes.removeLast(bytes.count - max(1, place)) }
                }
                if bytes.count < 4096 { break }
            }
            folder.overwrite(bytes)
            let store = folder.store()
            for number in 0..<30 {
                let text = store.text("\(number)")
                if text == SampleEntities.text(of: .sample(number)) { survivals += 1 }
            }
            for number in 30..<33 {
                let error = store.write(.sample(number), "\(number)")
                let text = store.text("\(number)")
                #expect(
                    (error == nil && text == SampleEntities.text(of: .sample(number))) || text == "none"
                        // The mark of the file was hit, so its owner is unknown.
                        || text.contains("' is not a cache of this program, and stays as it is")
                        || text.contains("' is the database of another program"),
                    "round \(round): \(error.map { "\($0)" } ?? "-"), \(text)")
            }
            store.remove("31")
            store.close()
        }
        #expect(survivals > 1000)
    }
}
