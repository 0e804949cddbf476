import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import resthost

/// Tests with real files and events.
struct FileWatcherTests {
    /// The changes that a watcher reports, as they come.
    private final class Told: Sendable {
        private struct State {
            var changes: [[String]] = []
            var waiting: (@Sendable ([String]) -> Void)?
        }
        private let state = Mutex(State())

        func add(_ files: [String]) {
            let waiting: (@Sendable ([String]) -> Void)? = state.withLock { state in
                defer { state.waiting = nil }
                if state.waiting == nil { state.changes.append(files) }
                return state.waiting
            }
            waiting?(files)
        }

        /// The next reported change; nil if there is none.
        func next(at location: SourceLocation = #_sourceLocation) async -> [String]? {
            await TestSupport.waiting(for: "a change to be told", at: location) { answer in
                let notified: [String]? = state.withLock { state in
                    if state.changes.isEmpty {
                        state.waiting = answer
                        return nil
                    }
                    return state.changes.removeFirst()
                }
                if let notified { answer(notified) }
            }
        }

        var isEmpty: Bool { state.withLock { $0.changes.isEmpty } }
    }

    private enum Way: CaseIterable {
        case system, polling
    }

    /// Runs the watcher's loop on a thread; `body` begins when it watches.
    private func watching(
        _ way: Way, _ folder: TemporaryFolder, _ names: [String], _ body: (Told) async -> Void
    ) async {
        let (notified, watches) = (Told(), Gate())
        let loop = WatchLoop(
            view: .system, clock: { ClockReading.uptime }, warn: { _ in }, report: { notified.add($0) },
            onWatching: { watches.open() })
        let ended = Gate()
        loop.watch(
            names.reduce(into: [:]) { files, name in files["\(folder.path)/\(name)"] = name })
        NamedThread.startOrStop(name: "watch test") {
            loop.run { () throws(FolderWatchError) in
                switch way {
                case .system: try FileWatcher.system()
                case .polling: PollingFolders()
                }
            }
            ended.open()
        }
        await watches.opened()
        await body(notified)
        loop.stop()
        await ended.opened()
    }

    private static func write(_ path: String, _ text: String) {
        let file = fopen(path, "w")
        fputs(text, file)
        fclose(file)
    }

    @Test(arguments: Way.allCases)
    private func `a file is reported when written, renamed over, removed and recreated`(way: Way) async {
        let folder = TemporaryFolder()
        folder.write("main.lua", "1")
        let path = folder.path + "/main.lua"
        await watching(way, folder, ["main.lua"]) { notified in
            Self.write(path, "2")
            #expect(await notified.next() == ["main.lua"])
            Self.write(path + "~", "3")
            rename(path + "~", path)
            #expect(await notified.next() == ["main.lua"])
            unlink(path)
            #expect(await notified.next() == ["main.lua"])
            Self.write(path, "4")
            #expect(await notified.next() == ["main.lua"])
        }
    }

    @Test(arguments: Way.allCases)
    private func `a folder that is removed and made again is still watched`(way: Way) async {
        let folder = TemporaryFolder()
        folder.write("sub/mod.lua", "1")
        let path = folder.path + "/sub/mod.lua"
        await watching(way, folder, ["sub/mod.lua"]) { notified in
            unlink(path)
            rmdir(folder.path + "/sub")
            #expect(await notified.next() == ["sub/mod.lua"])
            mkdir(folder.path + "/sub", 0o700)
            Self.write(path, "2")
            #expect(await notified.next() == ["sub/mod.lua"])
            rename(folder.path + "/sub", folder.path + "/old")
            #expect(await notified.next() == ["sub/mod.lua"])
            mkdir(folder.path + "/sub", 0o700)
            Self.write(path, "3")
            #expect(await notified.next() == ["sub/mod.lua"])
            unlink(folder.path + "/old/mod.lua")
            rmdir(folder.path + "/old")
        }
    }

    @Test(arguments: Way.allCases)
    private func `a linked file is reported when the file or the link changes`(way: Way) async {
        let folder = TemporaryFolder()
        folder.write("a/real.lua", "1")
        folder.write("b/real.lua", "2")
        folder.link("link.lua", to: "a/real.lua")
        await watching(way, folder, ["link.lua"]) { notified in
            Self.write(folder.path + "/a/real.lua", "3")
            #expect(await notified.next() == ["link.lua"])
            unlink(folder.path + "/link.lua")
            symlink("b/real.lua", folder.path + "/link.lua")
            #expect(await notified.next() == ["link.lua"])
            Self.write(folder.path + "/b/real.lua", "4")
            #expect(await notified.next() == ["link.lua"])
        }
    }

    @Test func `the same content is no change`() async {
        let folder = TemporaryFolder()
        folder.write("main.lua", "1")
        folder.write("mod.lua", "1")
        await watching(.system, folder, ["main.lua", "mod.lua"]) { notified in
            // In one step, because a file that is still empty would be another change.
            for (name, text) in [("main.lua", "1"), ("mod.lua", "2")] {
                let path = "\(folder.path)/\(name)"
                Self.write(path + "~", text)
                rename(path + "~", path)
            }
            #expect(await notified.next() == ["mod.lua"])
        }
    }

    @Test func `when the system refuses, files are looked at instead`() async {
        /// A watcher without room for any folder.
        final class Full: FolderWatching {
            func watch(_ entries: Set<DirectoryEntry>) throws(FolderWatchError) {
                throw FolderWatchError(message: "full")
            }
            func wait(_ seconds: Double?, _ signal: WatchSignal) -> [FolderEvent] { [] }
        }
        let folder = TemporaryFolder()
        folder.write("main.lua", "1")
        let (notified, warnings, watches, ended) = (Told(), Told(), Gate(), Gate())
        let loop = WatchLoop(
            view: .system, clock: { ClockReading.uptime }, warn: { warnings.add([$0]) },
            report: { notified.add($0) }, onWatching: { watches.open() })
        loop.watch(["\(folder.path)/main.lua": "main.lua"])
        NamedThread.startOrStop(name: "watch test") {
            loop.run { () throws(FolderWatchError) in Full() }
            ended.open()
        }
        await watches.opened()
        #expect(await warnings.next() == ["full: files are looked at twice a second instead"])
        Self.write(folder.path + "/main.lua", "22")
        #expect(await notified.next() == ["main.lua"])
        #expect(warnings.isEmpty)
        loop.stop()
        await ended.opened()
    }

    @Test func `what changed is reported on the engine loop`() async {
        let folder = TemporaryFolder()
        folder.write("main.lua", "1")
        let (notified, watches) = (Told(), Gate())
        let watcher = await FileWatcher(
            onChange: { files in
                EngineLoop.shared.checkIsolated()
                notified.add(files)
            }, onWatching: { watches.open() })
        await watcher.watch(files: [folder.path + "/main.lua"])
        await watches.opened()
        Self.write(folder.path + "/main.lua", "2")
        #expect(await notified.next() == [folder.path + "/main.lua"])
        withExtendedLifetime(watcher) {}
    }
}
