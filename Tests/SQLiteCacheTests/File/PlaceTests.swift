import Platform
import RestEngine
import TestSupport
import Testing

@testable import SQLiteCache

struct PlaceTests {
    private func failure(_ path: String) -> String {
        let store = EntityStore(EntityStore.Settings(path: path, maxBytes: 1 << 20)) { _, _ in }
        let text = store.text("x")
        #expect("\(store.write(.text("x"), "x"), default: "")" == text)
        #expect("\(store.remove("x"), default: "")" == text)
        store.close()
        return text
    }

    @Test func `D18 a path that can't be a file fails each operation, and says why`() {
        let folder = CacheFolder()
        for path in [folder.path, "", "/dev/null"] {
            #expect(failure(path).hasPrefix("'\(path)' is a folder, or no file for another reason; "))
        }
        for path in [folder.path + "/none/x", "/proc/x", "/dev/null/x"] {
            #expect(
                failure(path).hasPrefix("'\(path)' can't be opened; its folder must exist and be writable: "))
        }
        #expect(folder.names == [])
    }

    @Test func `another program's database is left alone`() throws {
        let folder = CacheFolder()
        try folder.run("CREATE TABLE other (x); INSERT INTO other VALUES (1)")
        let bytes = folder.bytes()
        #expect(failure(folder.file).hasPrefix("'\(folder.file)' is the database of another program; "))
        #expect(folder.names == ["cache.sqlite"] && folder.bytes().count == bytes.count)
        #expect(try folder.integer("SELECT x FROM other") == 1)
    }

    @Test(arguments: ["not a database\n", "SQLite format 3\0 but no more", "\0\0\0\0", "{}"])
    func `a file that isn't a cache is refused, and stays as it is`(text: String) {
        let folder = CacheFolder()
        folder.overwrite(Array(text.utf8))
        let expected = "'\(folder.file)' is not a cache of this program, and stays as it is; "
        let isDatabase = text.hasPrefix("SQLite")
        #expect(
            failure(folder.file).hasPrefix(
                isDatabase ? "'\(folder.file)' is " : expected))
        #expect(throws: SQLiteCacheError.self) { try SQLiteCache.requireOwn(folder.file) }
        #expect(folder.names == ["cache.sqlite"] && folder.bytes() == Array(text.utf8))
    }

    @Test func `another program's database isn't changed in any byte`() throws {
        for sql in [
            "CREATE TABLE other (x)", "PRAGMA user_version = 7", "PRAGMA application_id = 7",
            "PRAGMA journal_mode = WAL; CREATE TABLE other (x)",
        ] {
            let folder = CacheFolder()
            try folder.run(sql)
            let bytes = folder.bytes()
            #expect(
                failure(folder.file).hasPrefix("'\(folder.file)' is the database of another program; "),
                "\(sql)")
            #expect(folder.names == ["cache.sqlite"] && folder.bytes() == bytes, "\(sql)")
        }
    }

    @Test(arguments: ["-wal", "-journal", "-shm"])
    func `a file in the place of a side file is not taken for one`(sideFile: String) {
        let folder = CacheFolder()
        folder.overwrite(Array("my notes".utf8), "cache.sqlite" + sideFile)
        #expect(
            failure(folder.file).hasPrefix(
                "'\(folder.file)\(sideFile)', which SQLite would use beside it, is a file"))
        #expect(folder.names == ["cache.sqlite" + sideFile])
        #expect(folder.bytes("cache.sqlite" + sideFile) == Array("my notes".utf8))
    }

    @Test func `damage makes no way for a file over one that isn't a cache`() throws {
        let folder = CacheFolder()
        folder.fill(3)
        try folder.run("PRAGMA user_version = 99")
        folder.overwrite(Array("mine".utf8), "cache.sqlite.damaged-2")
        #expect(
            failure(folder.file).hasSuffix(
                "'\(folder.file).damaged-2' is a file of another kind; delete '\(folder.file)'"))
        #expect(folder.bytes("cache.sqlite.damaged-2") == Array("mine".utf8))
        #expect(folder.names.contains("cache.sqlite") && !folder.names.contains("cache.sqlite.damaged-1"))
    }

    @Test func `an empty file is a cache that begins`() {
        let folder = CacheFolder()
        folder.overwrite([])
        let store = folder.store()
        #expect(store.write(.sample(1), "1") == nil && store.has("1"))
        store.close()
        #expect(folder.log == [])
    }

    @Test(arguments: [":memory:", "file:x?mode=memory", "a b%20#ü?.sqlite", "-wal"])
    func `a name means a file, whatever it looks like`(name: String) throws {
        let folder = CacheFolder()
        let file = DatabaseFile(path: name)
        #expect(file.name == "./\(name)")
        let store = EntityStore(
            EntityStore.Settings(path: "\(folder.path)/\(name)", maxBytes: 1 << 20)
        ) { _, _ in }
        #expect(store.write(.text("x"), "x") == nil)
        store.close()
        #expect(folder.names == [name])
    }

    @Test func `a file that was deleted is begun anew`() {
        let folder = CacheFolder()
        let store = folder.store()
        store.write(.sample(1), "1")
        for name in folder.names { unlink("\(folder.path)/\(name)") }
        #expect(store.text("1") == "none")
        #expect(store.write(.sample(2), "2") == nil)
        #expect(folder.names.contains("cache.sqlite"))
        store.close()
        let again = folder.store()
        #expect(again.numbers(0..<3) == [2])
        again.close()
        #expect(folder.log == [])
    }

    @Test func `D18 a file that only others may write can be read`() async {
        let folder = CacheFolder()
        folder.fill(3)
        chmod(folder.path, 0o555)
        chmod(folder.file, 0o444)
        let path = folder.file
        let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = path as String] in
            // Root may write any file, so the child becomes another user.
            if getuid() == 0 { ChildReport.expect(setuid(65_534) == 0, "root can be somebody else") }
            let store = EntityStore(EntityStore.Settings(path: path, maxBytes: 1 << 20)) { _, _ in }
            ChildReport.expect(store.has("0"), store.text("0"))
            for error in [store.write(.sample(4), "4"), store.remove("1"), store.updateTimestamp(1, "2")] {
                ChildReport.expect(
                    (error as? SQLiteCacheError)?.code == .readOnly
                        && "\(error, default: "")".hasPrefix("'\(path)' can't be written: "),
                    "\(error, default: "no error")")
            }
            ChildReport.expect(store.numbers(0..<5) == [0, 1, 2], "\(store.numbers(0..<5))")
            store.writeReadsIfMany()
            store.close()
        }
        #expect(child?.report == "")
        chmod(folder.path, 0o755)
    }

    @Test func `D18 on a full disk writing fails, reading and removing go on`() throws {
        let folder = CacheFolder()
        let store = folder.store(maxBytes: 64 << 20)
        for number in 0..<10 { store.write(.sample(number), "\(number)") }
        // As many pages as the file has, or a few more.
        try #require(store.database).connection.execute("PRAGMA max_page_count = 12")
        let large = Entity.sample(50, size: 100_000)
        let error = store.write(large, "0") as? SQLiteCacheError
        #expect(error?.code == .full)
        #expect(
            error?.message.hasPrefix("'\(folder.file)' can't grow: the disk or a quota is full: ") == true)
        #expect(store.numbers(0..<10) == Array(0..<10), "what was there is as it was")
        let results = store.run([
            Operation(key: EntryKey("1"), action: .updateTimestamp(7)),
            Operation(key: EntryKey("2"), action: .write(large)),
            Operation(key: EntryKey("3"), action: .remove),
        ])
        let failed = results.map { if case .failure = $0 { true } else { false } }
        #expect(failed == [false, true, false], "one that needs too much does not fail its neighbours")
        #expect(store.text("1").hasSuffix(" 7.0") && store.text("3") == "none")
        #expect(store.write(.text("small"), "3") == nil)
        store.close()
    }

    @Test func `D18 a quota of the process fails what it must, and ends nothing`() async {
        let folder = CacheFolder()
        folder.fill(3)
        let path = folder.file
        let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let store = EntityStore(EntityStore.Settings(path: path, maxBytes: 1 << 20)) { _, _ in }
            ChildReport.expect(store.numbers(0..<5) == [0, 1, 2], store.text("0"))
            // The file is already larger; its log is still empty.
            var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
            #if canImport(Darwin)
                setrlimit(RLIMIT_FSIZE, &limit)
            #else
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #endif
            for number in 0..<20 {
                let error = store.write(.sample(number), "\(number)")
                ChildReport.expect(
                    [.io, .full].contains((error as? SQLiteCacheError)?.code), "\(error, default: "no error")"
                )
            }
            ChildReport.expect(store.numbers(0..<5) == [0, 1, 2], store.text("0"))
            store.close()
            ChildReport.expect(store.numbers(0..<5) == [0, 1, 2], "opened again: " + store.text("0"))
            store.close()
        }
        #expect(child?.report == "")
        let store = folder.store()
        #expect(store.numbers(0..<5) == [0, 1, 2])
        #expect(store.write(.sample(4), "4") == nil)
        store.close()
        #expect(folder.log == [])
    }
}
