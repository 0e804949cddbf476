import RestEngine
import TestSupport
import Testing

@testable import SQLiteCache

struct PersistenceTests {
    @Test func `22.1 what was written is there when the file is opened again`() throws {
        let folder = CacheFolder()
        var store = folder.store()
        for (name, entity) in SampleEntities.all { #expect(store.write(entity, name) == nil) }
        store.close()
        #expect(folder.names == ["cache.sqlite"], "a closed file has no log beside it")
        store = folder.store()
        for (name, entity) in SampleEntities.all {
            #expect(store.text(name) == SampleEntities.text(of: entity), "\(name)")
        }
        store.close()
        #expect(folder.log == [])
    }

    @Test func `22.12 D15 new times, replacements and removals last`() throws {
        let folder = CacheFolder()
        var store = folder.store()
        for name in ["kept", "confirmed", "replaced", "removed"] { store.write(.text(name), name) }
        store.updateTimestamp(2_000_000, "confirmed")
        store.write(.text("new", timestamp: 5), "replaced")
        store.remove("removed")
        store.close()
        store = folder.store()
        #expect(store.text("kept") == SampleEntities.text(of: .text("kept")))
        #expect(store.text("confirmed") == SampleEntities.text(of: .text("confirmed", timestamp: 2_000_000)))
        #expect(store.text("replaced") == SampleEntities.text(of: .text("new", timestamp: 5)))
        #expect(store.text("removed") == "none")
        store.close()
        let traces = try folder.integer("SELECT count(*) FROM content")
        #expect(traces == 3, "nothing is left of a removed entity")
    }

    @Test func `the file opens at the first operation, for its owner alone`() {
        let folder = CacheFolder()
        let store = folder.store()
        #expect(folder.names == [])
        #expect(store.text("x") == "none")
        #expect(folder.names == ["cache.sqlite", "cache.sqlite-shm", "cache.sqlite-wal"])
        store.write(.text("x"), "x")
        for name in folder.names { #expect(folder.mode(name) == 0o600, "\(name)") }
        store.close()
        #expect(store.has("x"), "a closed store opens again")
        store.close()
    }

    @Test func `what has no form outside the process is refused, and what it would replace is gone`() {
        struct Native: Sendable {}
        let folder = CacheFolder()
        let store = folder.store()
        store.write(.text("old"), "x")
        let error = store.write(Entity(content: .native(Native()), timestamp: 0), "x")
        #expect(
            "\(error, default: "")".hasPrefix("content of type Native has no form outside of this process"))
        #expect(store.text("x") == "none")
        #expect(store.updateTimestamp(.nan, "x") != nil)
        store.close()
    }

    @Test func `stages, users, services and URLs are places of their own`() throws {
        let folder = CacheFolder()
        let store = folder.store()
        let keys = [
            EntryKey(stage: "a", user: "b", service: "c", url: "d"),
            EntryKey(stage: "A", user: "b", service: "c", url: "d"),
            EntryKey(stage: "a", user: "", service: "c", url: "d"),
            EntryKey(stage: "a", user: "b", service: "c\0", url: "d"),
            EntryKey(stage: "a", user: "b", service: "c", url: "é"),
            EntryKey(stage: "a", user: "b", service: "c", url: "e\u{301}"),
        ]
        let operations = keys.enumerated().map { number, key in
            Operation(key: key, action: .write(.text("\(number)")))
        }
        for case .failure(let error) in store.run(operations) { throw error }
        for (number, key) in keys.enumerated() {
            #expect(try store.read(key)?.content.text == "\(number)")
        }
        store.close()
    }
}
