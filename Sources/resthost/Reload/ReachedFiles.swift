import RestEngine

/// The files that one generation has been read from so far.
@EngineActor
final class ReachedFiles {
    /// By the script itself.
    private(set) var paths: Set<String> = []
    /// By its transformer modules.
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
