import Synchronization
import Testing

@testable import resthost

struct WatchStateTests {
    /// Files that only exist in this object.
    private final class Files: Sendable {
        private let entries = Mutex<[String: PathEntries.Kind]>([:])
        private let contents = Mutex<[String: Int]>([:])

        func write(_ path: String, _ content: Int) {
            entries.withLock { $0[path] = .other }
            contents.withLock { $0[path] = content }
        }

        func link(_ path: String, _ target: String) { entries.withLock { $0[path] = .link(to: target) } }

        func remove(_ path: String) {
            entries.withLock { $0[path] = nil }
            contents.withLock { $0[path] = nil }
        }

        var view: FileView {
            FileView(
                kind: { path in
                    self.entries.withLock { entries in
                        entries[path]
                            ?? (entries.keys.contains { $0.hasPrefix(path + "/") } ? .folder : .missing)
                    }
                },
                fingerprint: { path in
                    self.contents.withLock { contents in
                        contents[path].map { .content(hash: $0, bytes: 1) } ?? .missing
                    }
                },
                // The content is also used as the time.
                changeTime: { path in self.contents.withLock { $0[path].map { Double($0) } } })
        }
    }

    private func change(_ folder: String, _ name: String) -> FolderEvent {
        .changed(DirectoryEntry(folder: folder, name: name))
    }

    private func set(
        _ names: [String: String], _ state: inout WatchState, _ files: Files,
        readFrom start: Double = .infinity, at now: Double = 0
    ) {
        state.setFiles(names, files.view)
        state.readNewFiles(from: start, at: now, files.view)
    }

    private func changes(_ state: inout WatchState, _ files: Files, at now: Double) -> [String]? {
        guard state.isDue(at: now) else { return nil }
        state.findEntries(files.view)
        return state.takeChanges(files.view)
    }

    @Test func `a changed file is reported once, under the name that it was given`() {
        let files = Files()
        files.write("/w/main.lua", 1)
        files.write("/w/mod.lua", 1)
        var state = WatchState()
        set(["/w/main.lua": "main.lua", "/w/mod.lua": "mod.lua"], &state, files)
        files.write("/w/main.lua", 2)
        state.note(change("/w", "main.lua"), at: 1)
        #expect(changes(&state, files, at: 1.1) == nil)
        #expect(changes(&state, files, at: 1.3) == ["main.lua"])
        #expect(state.deadline == nil)
    }

    @Test func `the same content, or another file of the folder, is no change`() {
        let files = Files()
        files.write("/w/main.lua", 1)
        var state = WatchState()
        set(["/w/main.lua": "main.lua"], &state, files)
        state.note(change("/w", "main.lua"), at: 1)
        #expect(changes(&state, files, at: 2) == [])
        state.note(change("/w", "main.lua~"), at: 3)
        #expect(state.deadline == nil)
        // The file is changed, and changed back.
        files.write("/w/main.lua", 2)
        state.note(change("/w", "main.lua"), at: 4)
        files.write("/w/main.lua", 1)
        state.note(change("/w", "main.lua"), at: 4.1)
        #expect(changes(&state, files, at: 5) == [])
    }

    @Test func `a file that comes and goes is a change`() {
        let files = Files()
        files.write("/w/x", 0)
        var state = WatchState()
        set(["/w/sub/new.lua": "new.lua"], &state, files)
        #expect(state.entries == [DirectoryEntry(folder: "/w", name: "sub")])
        files.write("/w/sub/new.lua", 1)
        state.note(change("/w", "sub"), at: 1)
        #expect(changes(&state, files, at: 2) == ["new.lua"])
        #expect(state.entries == [DirectoryEntry(folder: "/w/sub", name: "new.lua")])
        files.remove("/w/sub/new.lua")
        state.note(.gone("/w/sub"), at: 3)
        #expect(changes(&state, files, at: 4) == ["new.lua"])
        #expect(state.entries == [DirectoryEntry(folder: "/w", name: "sub")])
    }

    @Test func `a link that leads elsewhere is a change if the content is another`() {
        let files = Files()
        files.link("/w/main.lua", "current/main.lua")
        files.link("/w/current", "v1")
        files.write("/w/v1/main.lua", 1)
        files.write("/w/v2/main.lua", 2)
        files.write("/w/main.lua", 1)
        files.link("/w/main.lua", "current/main.lua")
        var state = WatchState()
        set(["/w/main.lua": "main.lua"], &state, files)
        #expect(state.entries.contains(DirectoryEntry(folder: "/w/v1", name: "main.lua")))
        files.link("/w/current", "v2")
        state.note(change("/w", "current"), at: 1)
        #expect(changes(&state, files, at: 2) == [])
        #expect(state.entries.contains(DirectoryEntry(folder: "/w/v2", name: "main.lua")))
        #expect(!state.entries.contains(DirectoryEntry(folder: "/w/v1", name: "main.lua")))
    }

    @Test func `lost events make all files suspect`() {
        let files = Files()
        for name in ["a", "b", "c"] { files.write("/w/\(name)", 1) }
        var state = WatchState()
        set(["/w/a": "a", "/w/b": "b", "/w/c": "c"], &state, files)
        files.write("/w/c", 2)
        files.write("/w/a", 2)
        state.note(.anything, at: 1)
        #expect(changes(&state, files, at: 2) == ["a", "c"])
    }

    @Test func `a file that changed while it was read is reported, one that is older isn't`() {
        let files = Files()
        for name in ["a", "b", "c"] { files.write("/w/\(name)", 1) }
        files.write("/w/b", 5)
        var state = WatchState()
        set(["/w/a": "a", "/w/b": "b", "/w/d": "d"], &state, files, readFrom: 5, at: 10)
        #expect(changes(&state, files, at: 10.3) == ["b"])
        // A known file counts as known, however new it is.
        files.write("/w/c", 9)
        set(["/w/b": "b", "/w/c": "c"], &state, files, readFrom: 4, at: 20)
        #expect(changes(&state, files, at: 20.3) == ["c"])
        #expect(state.deadline == nil)
    }

    @Test func `other files to watch don't hide what changed before`() {
        let files = Files()
        files.write("/w/a", 1)
        files.write("/w/b", 1)
        var state = WatchState()
        set(["/w/a": "a"], &state, files)
        files.write("/w/a", 2)
        state.note(change("/w", "a"), at: 1)
        set(["/w/a": "a", "/w/b": "b"], &state, files)
        #expect(changes(&state, files, at: 2) == ["a"])
        set(["/w/b": "b"], &state, files)
        files.write("/w/a", 3)
        state.note(change("/w", "a"), at: 3)
        #expect(state.deadline == nil)
    }

    @Test func `a change before the first look is reported when the script was read before it`() {
        let files = Files()
        files.write("/w/a", 1)
        var state = WatchState()
        state.setFiles(["/w/a": "a"], files.view)
        // The folder is watched from here on.
        files.write("/w/a", 7)
        state.note(change("/w", "a"), at: 1)
        state.readNewFiles(from: 5, at: 1.1, files.view)
        #expect(changes(&state, files, at: 1.4) == ["a"])
    }
}

struct SettlingTests {
    @Test func `nothing noted is never due`() {
        let settling = Settling()
        #expect(settling.deadline == nil)
        #expect(!settling.isDue(at: 1e9))
    }

    @Test func `each change puts it off, up to a point`() throws {
        var settling = Settling()
        settling.note("a", at: 10)
        #expect(settling.deadline == 10.2)
        settling.note("b", at: 10.15)
        #expect(!settling.isDue(at: 10.2))
        #expect(settling.isDue(at: 10.36))
        var now = 10.15
        while now < 11.9 {
            now += 0.1
            settling.note("b", at: now)
        }
        #expect(settling.deadline == 12)
        #expect(settling.take() == ["a", "b"])
        #expect(settling.deadline == nil)
        settling.note("c", at: 20)
        #expect(settling.deadline == 20.2)
        #expect(settling.take() == ["c"])
    }
}
