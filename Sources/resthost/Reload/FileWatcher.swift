import Platform
import RestEngine

/// Tells when files have another content, a moment after they were written; see ``Settling``.
@EngineActor
final class FileWatcher {
    private let loop: WatchLoop

    /// - Parameters:
    ///   - warn: called when the system doesn't tell of changes and the files are looked at instead.
    ///   - onChange: gets the names of the files, as they were given, that changed together.
    ///   - onWatching: called on another thread when the files that were given last are watched.
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

    /// Watches these files from now on, and no others. They needn't exist. What changed in files that are
    /// watched already is still told, and so is a change of others that came while they were read.
    ///
    /// - Parameter start: when that began, Unix time in seconds.
    func watch(files: Set<String>, readFrom start: Double = .infinity) {
        let folder = WorkingFolder.path
        var names: [String: String] = [:]
        for file in files { names[file.hasPrefix("/") ? file : folder + "/" + file] = file }
        loop.watch(names, readFrom: start)
    }

    /// How this system tells of changes.
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
    /// Files that the script itself was read from.
    private(set) var paths: Set<String> = []
    /// Files that its transformer modules were read from.
    private(set) var modulePaths: Set<String> = []
    var onAddition: (@EngineActor () -> Void)?

    nonisolated init() {}

    func add(_ path: String) {
        if paths.insert(path).inserted { onAddition?() }
    }

    /// For a transformer module, which can be loaded again alone.
    func addForModule(_ path: String) {
        if modulePaths.insert(path).inserted { onAddition?() }
    }

    /// All that another attempt reached, now or later.
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
