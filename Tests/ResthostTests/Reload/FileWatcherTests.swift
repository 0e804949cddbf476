import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import resthost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// With the system's own files and events.
struct FileWatcherTests {
    /// What a watcher told, as it comes.
    private final class Told: Sendable {
        private struct State {
            var changes: [[String]] = []
            var waiting: CheckedContinuation<[String], Never>?
        }
        private let state = Mutex(State())

        func add(_ files: [String]) {
            let waiting: CheckedContinuation<[String], Never>? = state.withLock { state in
                defer { state.waiting = nil }
                if state.waiting == nil { state.changes.append(files) }
                return state.waiting
            }
            waiting?.resume(returning: files)
        }

        /// The next that was told.
        func next() async -> [String] {
            await withCheckedContinuation { continuation in
                let told: [String]? = state.withLock { state in
                    if state.changes.isEmpty {
                        state.waiting = continuation
                        return nil
                    }
                    return state.changes.removeFirst()
                }
                if let told { continuation.resume(returning: told) }
            }
        }

        var isEmpty: Bool { state.withLock { $0.changes.isEmpty } }
    }

    private enum Way: CaseIterable {
        case system, polling
    }

    /// Runs the watcher's loop on a thread, and waits until it watches: a first file is written until it is told.
    private func watching(
        _ way: Way, _ folder: TemporaryFolder, _ names: [String],
        warn: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (Told) async -> Void
    ) async {
        let told = Told()
        let loop = WatchLoop(
            view: .system, clock: { Self.uptime }, warn: warn, report: { told.add($0) })
        let ended = Gate()
        BackgroundThread.start(name: "watch test") {
            loop.run { () throws(FolderWatchFailure) in
                switch way {
                case .system: try FileWatcher.system()
                case .polling: PollingFolders()
                }
            }
            ended.open()
        }
        var files: [String: String] = [:]
        for name in names + ["probe"] { files["\(folder.path)/\(name)"] = name }
        loop.watch(files)
        let probe = Task.detached {
            // The first content may be taken for the one that was there from the start; the next isn't.
            var number = 0
            while !Task.isCancelled {
                number += 1
                Self.write("\(folder.path)/probe", "\(number)")
                try? await Task.sleep(for: .milliseconds(300))
            }
        }
        #expect(await told.next() == ["probe"])
        probe.cancel()
        _ = await probe.value
        await body(told)
        loop.stop()
        ended.wait()
        unlink("\(folder.path)/probe")
    }

    private static func write(_ path: String, _ text: String) {
        let file = fopen(path, "w")
        fputs(text, file)
        fclose(file)
    }

    private static var uptime: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// What is told next about files other than the probe.
    private func next(_ told: Told) async -> [String] {
        while true {
            let files = await told.next().filter { $0 != "probe" }
            if !files.isEmpty { return files }
        }
    }

    @Test(arguments: Way.allCases)
    private func `a file is told when it is written, renamed over, removed and made again`(way: Way) async {
        let folder = TemporaryFolder()
        folder.write("main.lua", "1")
        let path = folder.path + "/main.lua"
        await watching(way, folder, ["main.lua"]) { told in
            Self.write(path, "2")
            #expect(await next(told) == ["main.lua"])
            Self.write(path + "~", "3")
            rename(path + "~", path)
            #expect(await next(told) == ["main.lua"])
            unlink(path)
            #expect(await next(told) == ["main.lua"])
            Self.write(path, "4")
            #expect(await next(told) == ["main.lua"])
        }
    }

    @Test(arguments: Way.allCases)
    private func `a folder that is removed and made again is still watched`(way: Way) async {
        let folder = TemporaryFolder()
        folder.write("sub/mod.lua", "1")
        let path = folder.path + "/sub/mod.lua"
        await watching(way, folder, ["sub/mod.lua"]) { told in
            unlink(path)
            rmdir(folder.path + "/sub")
            #expect(await next(told) == ["sub/mod.lua"])
            mkdir(folder.path + "/sub", 0o700)
            Self.write(path, "2")
            #expect(await next(told) == ["sub/mod.lua"])
            rename(folder.path + "/sub", folder.path + "/old")
            #expect(await next(told) == ["sub/mod.lua"])
            mkdir(folder.path + "/sub", 0o700)
            Self.write(path, "3")
            #expect(await next(told) == ["sub/mod.lua"])
            unlink(folder.path + "/old/mod.lua")
            rmdir(folder.path + "/old")
        }
    }

    @Test(arguments: Way.allCases)
    private func `a linked file is told when the file or the link changes`(way: Way) async {
        let folder = TemporaryFolder()
        folder.write("a/real.lua", "1")
        folder.write("b/real.lua", "2")
        folder.link("link.lua", to: "a/real.lua")
        await watching(way, folder, ["link.lua"]) { told in
            Self.write(folder.path + "/a/real.lua", "3")
            #expect(await next(told) == ["link.lua"])
            unlink(folder.path + "/link.lua")
            symlink("b/real.lua", folder.path + "/link.lua")
            #expect(await next(told) == ["link.lua"])
            Self.write(folder.path + "/b/real.lua", "4")
            #expect(await next(told) == ["link.lua"])
        }
    }

    @Test func `the same content is no change`() async {
        let folder = TemporaryFolder()
        folder.write("main.lua", "1")
        folder.write("mod.lua", "1")
        await watching(.system, folder, ["main.lua", "mod.lua"]) { told in
            Self.write(folder.path + "/main.lua", "1")
            Self.write(folder.path + "/mod.lua", "2")
            #expect(await next(told) == ["mod.lua"])
        }
    }

    @Test func `when the system refuses, files are looked at instead`() async {
        /// Has room for nothing.
        final class Full: FolderWatching {
            func watch(_ places: Set<FilePlaces.Place>) throws(FolderWatchFailure) {
                throw FolderWatchFailure(message: "full")
            }
            func wait(_ seconds: Double?, _ signal: WatchSignal) -> [FolderEvent] { [] }
        }
        let folder = TemporaryFolder()
        folder.write("main.lua", "1")
        let told = Told()
        let warnings = Told()
        let loop = WatchLoop(
            view: .system, clock: { Self.uptime }, warn: { warnings.add([$0]) }, report: { told.add($0) })
        let ended = Gate()
        loop.watch(["\(folder.path)/main.lua": "main.lua"])
        BackgroundThread.start(name: "watch test") {
            loop.run { () throws(FolderWatchFailure) in Full() }
            ended.open()
        }
        #expect(await warnings.next() == ["full: files are looked at twice a second instead"])
        // The warning comes before the first look, whose content is then the one to compare with.
        try? await Task.sleep(for: .milliseconds(200))
        Self.write(folder.path + "/main.lua", "22")
        #expect(await told.next() == ["main.lua"])
        #expect(warnings.isEmpty)
        loop.stop()
        ended.wait()
    }

    @Test func `the watcher tells on the engine loop`() async {
        let folder = TemporaryFolder()
        folder.write("main.lua", "1")
        let told = Told()
        let watcher = await FileWatcher { files in told.add(files) }
        await watcher.watch(files: [folder.path + "/main.lua"])
        let writing = Task.detached {
            var number = 1
            while !Task.isCancelled {
                number += 1
                Self.write(folder.path + "/main.lua", "\(number)")
                try? await Task.sleep(for: .milliseconds(300))
            }
        }
        #expect(await told.next() == [folder.path + "/main.lua"])
        writing.cancel()
        _ = await writing.value
        withExtendedLifetime(watcher) {}
    }
}
