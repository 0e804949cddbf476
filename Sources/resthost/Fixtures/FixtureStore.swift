import RestEngine

/// The folder, and what was written since the start, which lies over it and is never saved.
struct FixtureStore: Sendable {
    private let files: any FixtureFiles
    private var written: [FixturePath: FixtureDocument] = [:]
    /// Paths whose files, and those below, are deleted.
    private var gone: Set<FixturePath> = []

    init(files: any FixtureFiles) { self.files = files }

    mutating func forgetChanges() {
        written = [:]
        gone = []
    }

    /// Items of a collection are left out unless `listing` accepts their path.
    func document(
        at path: FixturePath, listing: (FixturePath) -> Bool = { _ in true }
    ) throws(FixtureRefusal) -> FixtureDocument? {
        if let document = single(path) { return document }
        if let element = element(at: path) { return element }
        guard let items = items(of: path) else { return nil }
        let shown = items.filter { listing($0.path) }
        let modified = shown.map(\.document.modified).max() ?? 0
        var values: [Tree] = []
        for item in shown { values.append(try item.document.value(at: item.path)) }
        return FixtureDocument(.collection, Tree(values), modified: modified)
    }

    mutating func write(_ value: Tree, to path: FixturePath, at now: Int) {
        written[path] = FixtureDocument(.document, value, modified: now)
    }

    mutating func delete(_ path: FixturePath) {
        written = written.filter { !path.contains($0.key) }
        gone.insert(path)
    }

    /// Nil when the document is no list.
    func list(at path: FixturePath) -> [Tree]? {
        guard let document = single(path), document.source == .document else { return nil }
        return try? document.value(at: path).list
    }

    private func single(_ path: FixturePath) -> FixtureDocument? {
        if let document = written[path] { return document }
        guard !gone.contains(where: { $0.contains(path) }) else { return nil }
        let names = path.segments
        var candidates = [names + ["index.json"]]
        if let last = names.last { candidates.insert(names.dropLast() + [last + ".json"], at: 0) }
        for candidate in candidates {
            if let file = files.read(candidate) {
                return FixtureDocument(.document, file.bytes, modified: file.modified)
            }
        }
        guard let name = names.last, let file = files.read(names) else { return nil }
        let type = FixtureContentType.of(name)
        return FixtureDocument(.file, file.bytes, modified: file.modified, contentType: type)
    }

    private func element(at path: FixturePath) -> FixtureDocument? {
        guard let parent = path.parent, let id = path.segments.last, let list = list(at: parent),
            let value = list.first(where: { $0.id == id })
        else { return nil }
        return FixtureDocument(.element, value, modified: single(parent)?.modified ?? 0)
    }

    /// By name those that are files, then those that were added; nil when the path is no folder.
    private func items(of path: FixturePath) -> [(path: FixturePath, document: FixtureDocument)]? {
        let isGone = gone.contains { $0.contains(path) }
        let names = isGone ? nil : files.names(in: path.segments)
        var paths = (names ?? []).filter { $0.hasSuffix(".json") }.compactMap {
            path.appending(String($0.dropLast(5)))
        }
        let known = Set(paths)
        let added = written.keys.filter { $0.parent == path && !known.contains($0) }
        guard names != nil || !added.isEmpty else { return nil }
        paths += added.sorted { Self.precedes($0, $1) }
        return paths.compactMap { item in single(item).map { (item, $0) } }
    }

    /// Numbers by value, so that new items come in the order of their ids.
    private static func precedes(_ a: FixturePath, _ b: FixturePath) -> Bool {
        let names = (a.segments.last ?? "", b.segments.last ?? "")
        guard let first = Int(names.0), let second = Int(names.1) else { return names.0 < names.1 }
        return first < second
    }

    /// All paths that files answer, and the folders that are collections, for people to read.
    func paths(below folder: [String] = []) -> [FixturePath] {
        var found: Set<FixturePath> = []
        for name in files.names(in: folder) ?? [] {
            let names = folder + [name]
            if files.names(in: names) != nil {
                found.formUnion(paths(below: names))
            } else if let document = single(FixturePath(names)) {
                found.insert(FixturePath(names))
                if document.source == .document { found.insert(FixturePath(folder)) }
            }
        }
        return found.sorted { $0.encoded < $1.encoded }
    }
}
