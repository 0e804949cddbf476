/// What a watcher knows and decides; who asks the system is ``WatchLoop``.
struct WatchState {
    private struct File {
        /// Nil when it isn't known what was read.
        var fingerprint: FileView.Fingerprint?
        var entries: Set<DirectoryEntry>
    }

    /// What is known of the files, by absolute path.
    private var files: [String: File] = [:]
    /// The names that were given, by absolute path.
    private var givenNames: [String: String] = [:]
    private var filesByEntry: [DirectoryEntry: Set<String>] = [:]
    private var settling = Settling()
    /// Paths of files that nobody has read yet.
    private var newFiles: [String] = []

    /// All that is to be watched.
    var entries: Set<DirectoryEntry> { Set(filesByEntry.keys) }

    /// When ``takeChanges(_:)`` is next of use.
    var deadline: Double? { settling.deadline }

    /// Replaces the files. Those that were there before are compared with what they were then; the new ones
    /// are read by ``readNewFiles(from:at:_:)``.
    ///
    /// - Parameter names: by absolute path, as they were given.
    mutating func setFiles(_ names: [String: String], _ view: FileView) {
        givenNames = names
        newFiles = names.keys.filter { files[$0] == nil }
        files = names.reduce(into: [:]) { known, name in
            known[name.key] = files[name.key] ?? File(fingerprint: nil, entries: [])
        }
        findEntries(view)
    }

    /// Of new files it counts what they are now, unless they changed since somebody began to read them. Their
    /// entries must be watched already: a change that comes between this look and the watch would never be
    /// told.
    ///
    /// - Parameters:
    ///   - start: when the reading began, Unix time in seconds.
    ///   - now: of the clock of ``note(_:at:)``.
    mutating func readNewFiles(from start: Double = .infinity, at now: Double, _ view: FileView) {
        for path in newFiles {
            // First the content: what changes it from here on changes the time that is asked for next.
            let fingerprint = view.fingerprint(path)
            if view.changeTime(path).map({ $0 >= start }) ?? false {
                settling.note(path, at: now)
            } else {
                files[path]?.fingerprint = fingerprint
            }
        }
        newFiles = []
    }

    /// Follows links anew. True when there are other entries to watch.
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

    /// Of the files that were noted, those whose content is another, by the names that they were given, in
    /// order.
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

/// Waits until changes have come to rest: an editor writes a file in several steps, a check-out many files.
/// Times are in seconds of any clock that only moves on.
struct Settling {
    /// After the last change.
    static let pause = 0.2
    /// After the first: a file that is written all the time must not hold up the others for ever.
    static let timeout = 2.0

    private var paths: Set<String> = []
    private var first = 0.0
    private var last = 0.0

    mutating func note(_ path: String, at now: Double) {
        if paths.isEmpty { first = now }
        last = now
        paths.insert(path)
    }

    /// When there is something to take; nil while nothing was noted.
    var deadline: Double? { paths.isEmpty ? nil : min(last + Self.pause, first + Self.timeout) }

    func isDue(at now: Double) -> Bool { deadline.map { $0 <= now } ?? false }

    /// What was noted; from here on it begins anew.
    mutating func take() -> Set<String> {
        defer { paths = [] }
        return paths
    }
}
