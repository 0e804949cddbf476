import Dispatch
import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import SQLiteCache

struct SharingTests {
    @Test func `two stores on one file see what the other did`() {
        let folder = CacheFolder()
        let (a, b) = (folder.store(), folder.store())
        for number in 0..<50 {
            let (writer, reader) = number % 2 == 0 ? (a, b) : (b, a)
            #expect(writer.write(.sample(number), "\(number)") == nil)
            #expect(reader.text("\(number)") == SampleEntities.text(of: .sample(number)))
            if number % 5 == 0 {
                reader.remove("\(number)")
                #expect(writer.text("\(number)") == "none")
            }
        }
        a.close()
        #expect(b.has("49"))
        b.close()
    }

    @Test func `a store whose file another one replaced follows it`() {
        let folder = CacheFolder()
        folder.fill(3)
        let (a, b) = (folder.store(), folder.store())
        #expect(a.has("1"))
        a.close()
        var bytes = folder.bytes()
        for index in 100..<bytes.count { bytes[index] = 0xA5 }
        folder.overwrite(bytes)
        #expect(!a.has("1") && !b.has("1"))
        #expect(a.write(.sample(1), "1") == nil)
        #expect(b.has("1"))
        unlink(folder.file)
        #expect(b.write(.sample(2), "2") == nil)
        #expect(a.has("2") && !a.has("1"))
        a.close()
        b.close()
        #expect(folder.log.filter { $0.hasPrefix("warning: ") }.count == 1)
    }

    @Test func `many threads open, fill and read one new file at once`() {
        let folder = CacheFolder()
        let path = folder.file
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { worker in
            let store = EntityStore(EntityStore.Settings(path: path, maxBytes: 8 << 20)) { _, text in
                failures.withLock { $0.append(text) }
            }
            for number in 0..<40 {
                let url = "\(worker)/\(number)"
                if let error = store.write(.sample(number), url) {
                    failures.withLock { $0.append("\(error)") }
                }
                if !store.has(url) { failures.withLock { $0.append("\(url) is missing") } }
            }
            store.close()
        }
        #expect(failures.withLock { $0 } == [])
        let store = folder.store()
        let found = (0..<6).flatMap { worker in (0..<40).filter { store.has("\(worker)/\($0)") } }
        #expect(found.count == 240)
        store.close()
    }

    @Test func `two processes write and read one file`() async throws {
        let folder = CacheFolder()
        let path = folder.file
        async let child = #expect(processExitsWith: .success) { [path = path as String] in
            let store = EntityStore(EntityStore.Settings(path: path, maxBytes: 8 << 20)) { _, _ in }
            for number in 0..<200 { try #require(store.write(.sample(number), "child \(number)") == nil) }
            store.close()
        }
        let store = folder.store(maxBytes: 8 << 20)
        for number in 0..<200 { #expect(store.write(.sample(number), "parent \(number)") == nil) }
        _ = await child
        for number in 0..<200 {
            #expect(store.text("child \(number)") == SampleEntities.text(of: .sample(number)))
            #expect(store.has("parent \(number)"))
        }
        store.close()
        #expect(try folder.integer("SELECT size - (SELECT sum(size) FROM entry) FROM total") == 0)
        #expect(folder.log == [])
    }

    @Test(arguments: [1, 7, 60])
    func `a process that is killed while it writes loses no confirmed entry`(count: Int) async throws {
        let folder = CacheFolder()
        let path = folder.file
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count = count as Int] in
            let store = EntityStore(EntityStore.Settings(path: path, maxBytes: 1 << 20)) { _, _ in }
            let reached = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                reached.wait()
                kill(getpid(), SIGKILL)
            }
            let notes = open(path + ".notes", O_WRONLY | O_CREAT, 0o600)
            // Goes on beyond the count, so that the kill comes in the middle of an operation.
            for number in 0... {
                try #require(store.write(.sample(number, size: 3000), "\(number)") == nil)
                var byte: UInt8 = 1
                _ = write(notes, &byte, 1)
                if number == count { reached.signal() }
            }
        }
        let confirmed = folder.bytes("cache.sqlite.notes").count
        #expect(confirmed > count)
        let store = folder.store()
        #expect(store.database == nil)
        // Some more entries were written but not confirmed.
        let found = (0..<confirmed + 2).filter { store.has("\($0)") }
        let evicted = found.first ?? 0
        #expect(found.count >= min(confirmed, 200) && found == Array(evicted..<evicted + found.count))
        for number in found {
            #expect(store.text("\(number)") == SampleEntities.text(of: .sample(number, size: 3000)))
        }
        #expect(store.write(.sample(0), "0") == nil)
        store.close()
        #expect(
            try folder.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'")
                == 1)
        #expect(folder.log == [])
    }

    @Test func `a lock that is never given back fails the others in the end`() throws {
        let folder = CacheFolder()
        folder.fill(2)
        var settings = EntityStore.Settings(path: folder.file, maxBytes: 1 << 20)
        settings.busyTimeoutMilliseconds = 1
        let store = EntityStore(settings) { _, _ in }
        #expect(store.has("0"))
        let holder = try Connection(folder.file, .readWrite)
        try holder.execute("BEGIN IMMEDIATE")
        let error = store.write(.sample(3), "3") as? SQLiteCacheError
        #expect(error?.code == .busy)
        #expect(error?.message.hasPrefix("'\(folder.file)' is locked by another process: ") == true)
        #expect(store.has("1"), "readers don't wait for a writer")
        try holder.execute("COMMIT")
        #expect(store.write(.sample(3), "3") == nil)
        store.close()
    }
}
