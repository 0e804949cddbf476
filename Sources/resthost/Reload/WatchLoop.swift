import Synchronization

/// The work of a ``FileWatcher``, on a thread of its own.
final class WatchLoop: Sendable {
    private struct Orders {
        /// By absolute path, as they were given, and when they were read; nil when nothing changed.
        var files: (names: [String: String], readFrom: Double)?
        var isStopped = false
    }

    private let orders = Mutex(Orders())
    private let signal = WatchSignal()
    private let view: FileView
    private let clock: @Sendable () -> Double
    private let warn: @Sendable (String) -> Void
    private let report: @Sendable ([String]) -> Void
    private let onWatching: @Sendable () -> Void

    /// - Parameters:
    ///   - report: gets the names of files that changed together.
    ///   - onWatching: called when changes of the files that were given last are noticed from then on.
    init(
        view: FileView, clock: @escaping @Sendable () -> Double, warn: @escaping @Sendable (String) -> Void,
        report: @escaping @Sendable ([String]) -> Void, onWatching: @escaping @Sendable () -> Void = {}
    ) {
        self.view = view
        self.clock = clock
        self.warn = warn
        self.report = report
        self.onWatching = onWatching
    }

    // MARK: Orders, any thread

    /// See ``WatchState``; new files are read from the time `start`.
    func watch(_ names: [String: String], readFrom start: Double = .infinity) {
        orders.withLock { $0.files = (names, start) }
        signal.wake()
    }

    func stop() {
        orders.withLock { $0.isStopped = true }
        signal.wake()
    }

    // MARK: The thread

    /// Returns when it is stopped. `start` gives what tells of changes.
    func run(_ start: () throws(FolderWatchError) -> any FolderWatching) {
        var folders: any FolderWatching
        do throws(FolderWatchError) { folders = try start() } catch {
            folders = fallBack(error)
        }
        var state = WatchState()
        while true {
            let orders = orders.withLock { orders in
                defer { orders.files = nil }
                return orders
            }
            if orders.isStopped { return }
            if let files = orders.files {
                state.setFiles(files.names, view)
                apply(&state, &folders)
                state.readNewFiles(from: files.readFrom, at: clock(), view)
                onWatching()
            }
            let events = folders.wait(state.deadline.map { max(0, $0 - clock()) }, signal)
            let now = clock()
            for event in events { state.note(event, at: now) }
            guard state.isDue(at: now) else { continue }
            // Before the files are looked at, so that what changes from here on is an event.
            apply(&state, &folders)
            let changed = state.takeChanges(view)
            if !changed.isEmpty { report(changed) }
        }
    }

    /// Watches what there is to watch. A folder may have appeared while its parent's watch was set up, so it
    /// looks again until nothing is new.
    private func apply(_ state: inout WatchState, _ folders: inout any FolderWatching) {
        for _ in 0..<16 {
            state.findEntries(view)
            do throws(FolderWatchError) { try folders.watch(state.entries) } catch {
                folders = fallBack(error)
                try? folders.watch(state.entries)
            }
            guard state.findEntries(view) else { return }
        }
    }

    private func fallBack(_ failure: FolderWatchError) -> any FolderWatching {
        warn("\(failure.message): files are looked at twice a second instead")
        return PollingFolders()
    }
}
