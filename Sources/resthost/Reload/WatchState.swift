/// The knowledge and decisions of a watcher. ``WatchLoop`` talks to the system.
struct WatchState {
    private struct File {
        /// Nil when the content that was read is not known.
        var fingerprint: FileView.Fingerprint?
        var entries: Set<DirectoryEntry>
    }

    /// The known files, by absolute path.
    private var files: [String: File] = [:]
    /// The given names, by absolute path.
    private var givenNames: [String: String] = [:]
    private var filesByEntry: [DirectoryEntry: Set<String>] = [:]
    private var settling = Settling()
    /// The paths of files whose content was not read yet.
    private var newFiles: [String] = []

    /// All entries that must be watched.
    var entries: Set<DirectoryEntry> { Set(filesByEntry.keys) }

    /// The next time when ``takeChanges(_:)`` is useful.
    var deadline: Double? { settling.deadline }

    /// Replaces the files. Files that were watched before are compared with their last content; new ones are
    /// read by ``readNewFiles(from:at:_:)``.
    ///
    /// - Parameter names: The given names, by absolute path.
    mutating func setFiles(_ names: [String: String], _ view: FileView) {
        givenNames = names
        newFiles = names.keys.filter { files[$0] == nil }
        files = names.reduce(into: [:]) { known, name in
            known[name.key] = files[name.key] ?? File(fingerprint: nil, entries: [])
        }
        findEntries(view)
    }

    /// Notes the content of new files, and reports those that changed after their reading began. Their
    /// entries must be watched already, because a change before the watch would stay unnoticed.
    ///
    /// - Parameters:
    ///   - start: The time when the reading began, in Unix seconds.
    ///   - now: The time on the clock of ``note(_:at:)``.
    mutating func readNewFiles(from start: Double = .infinity, at now: Double, _ view: FileView) {
        for path in newFiles {
            // The content is read before the change time, so that a later change is seen in the time.
            let fingerprint = view.fingerprint(path)
            if view.changeTime(path).map({ $0 >= start }) ?? false {
                settling.note(path, at: now)
            } else {
                files[path]?.fingerprint = fingerprint
            }
        }
        newFiles = []
    }

    /// Follows links again. True when the watched entries have changed.
    @discardableResult
    mutating func findEntries(_ view: FileView) -> Bool {
        let before = entries
        filesByEntry = [:]
        for path in files.keys {
            let entries = PathEntries.entries(of: path, view.kind)
            files[path]?.entries = entries
            for entry in entries { filesByEntry[entry, default: []].insert(path) }
        }
        return entries != before
    }

    mutating func note(_ event: FolderEvent, at now: Double) {
        switch event {
        case .changed(let entry):
            for path in filesByEntry[entry] ?? [] { settling.note(path, at: now) }
        case .gone(let folder):
            for (path, file) in files where file.entries.contains(where: { $0.folder == folder }) {
                settling.note(path, at: now)
            }
        case .anything:
            for path in files.keys { settling.note(path, at: now) }
        }
    }

    func isDue(at now: Double) -> Bool { settling.isDue(at: now) }

    /// The given names, sorted, of the noted files whose content has changed.
    mutating func takeChanges(_ view: FileView) -> [String] {
        var changed: [String] = []
        for path in settling.take() {
            guard let file = files[path] else { continue }
            let fingerprint = view.fingerprint(path)
            guard fingerprint != file.fingerprint else { continue }
            files[path]?.fingerprint = fingerprint
            changed.append(givenNames[path] ?? path)
        }
        return changed.sorted()
    }
}

/// Waits until changes have ended: an editor writes a file in several steps, a check-out writes many files.
/// Times are in seconds of any clock that only moves forward.
struct Settling {
    /// Seconds after the last change.
    static let pause = 0.2
    /// Seconds after the first change, because a file that is written all the time must not delay the others.
    static let timeout = 2.0

    private var paths: Set<String> = []
    private var first = 0.0
    private var last = 0.0

    mutating func note(_ path: String, at now: Double) {
        if paths.isEmpty { first = now }
        last = now
        paths.insert(path)
    }

    /// The time when the noted paths are due; nil when there are none.
    var deadline: Double? { paths.isEmpty ? nil : min(last + Self.pause, first + Self.timeout) }

    func isDue(at now: Double) -> Bool { deadline.map { $0 <= now } ?? false }

    /// Takes the noted paths and begins anew.
    mutating func take() -> Set<String> {
        defer { paths = [] }
        return paths
    }
}
