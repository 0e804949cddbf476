import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import SQLiteCache

struct SQLiteStoreTests {
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
    }

    private let folder = CacheFolder()
    private let log = Log()

    private func open() throws -> (store: SQLiteStore, rows: [SQLiteStore.Row]) {
        let log = log
        return try SQLiteStore.open(folder.file) { text in log.lines.withLock { $0.append(text) } }
    }

    /// The content of the file, as `key=value@end`, sorted.
    private func contents() throws -> [String] {
        try open().rows.map { row in
            "\(row.key)=\(row.value)\(row.expiresAt.map { "@\($0)" } ?? "")"
        }.sorted()
    }

    private func written(_ store: SQLiteStore) async {
        let _: Bool? = await waiting(for: "what was recorded to be written") { notified in
            store.whenWritten { _ in notified(true) }
        }
    }

    @Test func `what was recorded is in the file, the last of each key`() async throws {
        let store = try open().store
        store.record(Tree(1), for: "a")
        store.record(["x": [1, 2.5, .null]], for: "b \0 é", expiresAt: 99.5)
        store.record(Tree("gone"), for: "c")
        store.record(Tree(2), for: "a")
        store.record(nil, for: "c")
        store.record(nil, for: "never there")
        await written(store)
        #expect(try contents() == ["a=2", "b \0 é={\"x\":[1,2.5,null]}@99.5"])
        store.record(nil, for: "a")
        await written(store)
        #expect(try contents().count == 1)
        #expect(folder.mode("cache.sqlite") == 0o600 && log.all == [])
    }

    @Test func `a file holds what there was at one moment`() async throws {
        let store = try open().store
        // The two keys are always recorded one after the other, in this order.
        for number in 1...2000 {
            store.record(Tree(number), for: "first")
            store.record(Tree(number), for: "second")
            guard number % 200 == 0 else { continue }
            let rows = try open().rows.reduce(into: [:]) { $0[$1.key] = $1.value.int }
            let (first, second) = (rows["first"] ?? 0, rows["second"] ?? 0)
            #expect(first == second || first == second + 1, "\(first) \(second)")
        }
        await written(store)
        #expect(try contents() == ["first=2000", "second=2000"])
    }

    @Test func `what the disk doesn't take waits, is reported once, and is written later`() async throws {
        let store = try open().store
        let other = try Connection(folder.file, .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        store.record(Tree(1), for: "a")
        await written(store)
        store.record(Tree(2), for: "b")
        store.record(Tree(3), for: "a")
        #expect(log.all.count == 1)
        #expect(
            log.all.first?.hasPrefix(
                "the store can't be written, and is kept in memory until it can: '\(folder.file)' is locked by another process"
            )
                == true, "\(log.all)")
        try other.execute("COMMIT")
        await written(store)
        #expect(try contents() == ["a=3", "b=2"])
        #expect(log.all.last == "the store '\(folder.file)' is written again, with all that had waited")
    }

    @Test func `what isn't a store's file stays as it is`() throws {
        for text in ["text", "SQLite format 3\0"] {
            folder.overwrite(Array(text.utf8))
            #expect(throws: SQLiteCacheError.self) { try open() }
            #expect(throws: SQLiteCacheError.self) { try SQLiteStore.requireOwn(folder.file) }
            #expect(folder.bytes() == Array(text.utf8) && folder.names == ["cache.sqlite"])
        }
        folder.overwrite([])
        folder.remove()
        folder.fill(1)
        let bytes = folder.bytes()
        let error = #expect(throws: SQLiteCacheError.self) { try open() }
        #expect(
            error?.message
                == "'\(folder.file)' is the database of another program; give the store a file of its own")
        #expect(folder.bytes() == bytes, "a cache's file is none either")
    }

    @Test func `a damaged store is reported, and nothing of it is lost`() async throws {
        let store = try open().store
        for number in 0..<200 { store.record(Tree(String(repeating: "x", count: 100)), for: "\(number)") }
        await written(store)
        try folder.run("PRAGMA wal_checkpoint(TRUNCATE)")
        var bytes = folder.bytes()
        for index in 4096..<bytes.count { bytes[index] = 0xA5 }
        folder.overwrite(bytes)
        let error = #expect(throws: SQLiteCacheError.self) { try open() }
        #expect(
            error?.message.hasPrefix("'\(folder.file)' is damaged, and stays as it is: ") == true,
            "\(error?.message ?? "")")
        #expect(folder.bytes() == bytes && !folder.names.contains("cache.sqlite.damaged-1"))
        withExtendedLifetime(store) {}
    }

    @Test func `a store of a later version is left alone`() throws {
        _ = try open()
        try folder.run("PRAGMA user_version = 2")
        let error = #expect(throws: SQLiteCacheError.self) { try open() }
        #expect(
            error?.message == "'\(folder.file)' is a store of version 2, and this program knows version 1")
    }
}
