import Synchronization

/// The work of a ``FileWatcher``, on a thread of its own.
final class WatchLoop: Sendable {
    private struct Orders {
        /// The given names by absolute path, and the time when the files were read; nil when they have not
        /// changed.
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
    ///   - report: Gets the names of files that changed together.
    ///   - onWatching: Called when changes of the last given files are noticed.
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

    // MARK: Orders from any thread

    /// See ``WatchState``. New files are read from the time `start`.
    func watch(_ names: [String: String], readFrom start: Double = .infinity) {
        orders.withLock { $0.files = (names, start) }
        signal.wake()
    }

    func stop() {
        orders.withLock { $0.isStopped = true }
        signal.wake()
    }

    // MARK: The thread

    /// Runs until it is stopped. `start` makes the object that reports changes.
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
            // The watches are updated before the files are read, so that each later change is an event.
            apply(&state, &folders)
            let changed = state.takeChanges(view)
            if !changed.isEmpty { report(changed) }
        }
    }

    /// Watches all entries. A folder may have appeared while its parent's watch was made, so it repeats until
    /// there is no new entry.
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
