import Platform
import RestEngine

/// Reports files whose content has changed, a moment after they were written; see ``Settling``.
@EngineActor
final class FileWatcher {
    private let loop: WatchLoop

    /// - Parameters:
    ///   - warn: Called when the system reports no changes and the files are polled instead.
    ///   - onChange: Gets the given names of the files that changed together.
    ///   - onWatching: Called on another thread when the last given files are watched.
    init(
        warn: @escaping @Sendable (String) -> Void = { _ in },
        onChange: @escaping @Sendable @EngineActor ([String]) -> Void,
        onWatching: @escaping @Sendable () -> Void = {}
    ) {
        let loop = WatchLoop(
            view: .system, clock: { ClockReading.uptime }, warn: warn,
            report: { changed in EngineLoop.shared.submit { onChange(changed) } }, onWatching: onWatching)
        self.loop = loop
        NamedThread.startOrStop(name: "file watcher") { loop.run(FileWatcher.system) }
    }

    deinit { loop.stop() }

    /// Watches only these files from now on. They need not exist. A change of a file that was already watched
    /// is still reported. For new files, a change during their first reading is reported, too.
    ///
    /// - Parameter start: The time when that reading began, in Unix seconds.
    func watch(files: Set<String>, readFrom start: Double = .infinity) {
        let folder = WorkingFolder.path
        var names: [String: String] = [:]
        for file in files { names[file.hasPrefix("/") ? file : folder + "/" + file] = file }
        loop.watch(names, readFrom: start)
    }

    /// The mechanism by which this system reports changes.
    nonisolated static func system() throws(FolderWatchError) -> any FolderWatching {
        #if os(Linux)
            try InotifyFolders()
        #else
            PollingFolders()
        #endif
    }
}

/// The files that one generation has been read from so far.
@EngineActor
final class ReachedFiles {
    /// The files of the script itself.
    private(set) var paths: Set<String> = []
    /// The files of its transformer modules.
    private(set) var modulePaths: Set<String> = []
    var onAddition: (@EngineActor () -> Void)?

    nonisolated init() {}

    func add(_ path: String) {
        if paths.insert(path).inserted { onAddition?() }
    }

    /// Adds a file of a transformer module, which can be reloaded alone.
    func addForModule(_ path: String) {
        if modulePaths.insert(path).inserted { onAddition?() }
    }

    /// Adds all files of another attempt, now and later.
    func follow(_ other: ReachedFiles) {
        other.onAddition = { [weak self, unowned other] in
            guard let self else { return }
            let count = paths.count + modulePaths.count
            paths.formUnion(other.paths)
            modulePaths.formUnion(other.modulePaths)
            if paths.count + modulePaths.count > count { onAddition?() }
        }
        other.onAddition?()
    }
}
