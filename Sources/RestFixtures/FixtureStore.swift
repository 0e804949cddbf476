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
        let type = FileContentType.of(name)
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

/// The changes that POST, PUT, PATCH and DELETE make.
extension FixtureStore {
    /// Adds to a list or to a folder. Gives where the new item is, and the item.
    mutating func add(
        _ value: Tree, to path: FixturePath, at now: Int
    ) throws(FixtureRefusal) -> (FixturePath, Tree) {
        guard let document = try document(at: path) else { throw .notFound }
        guard document.source != .file, let list = try document.value(at: path).list else {
            throw .notAllowed(document.methods(at: path))
        }
        guard value.isObject else { throw FixtureRefusal(422, "An item of a list must be an object") }
        if value["id"] != nil, value.id == nil {
            throw FixtureRefusal(422, "The id must be a text or a number")
        }
        let id = if let given = value.id { given } else { try newID(in: list, at: path) }
        guard let place = path.appending(id) else {
            throw FixtureRefusal(422, "The id can't be part of a path")
        }
        guard try self.document(at: place) == nil else {
            throw FixtureRefusal(409, "There is an item with this id already")
        }
        let item = value.identified(by: id)
        if document.source == .collection {
            write(item, to: place, at: now)
        } else {
            write(Tree(list + [item]), to: path, at: now)
        }
        return (place, item)
    }

    /// Gives whether it is new, and the value as it is now.
    mutating func replace(
        _ value: Tree, at path: FixturePath, now: Int
    ) throws(FixtureRefusal) -> (isNew: Bool, Tree) {
        let old = try document(at: path)
        if let old {
            guard old.allows("PUT", at: path) else { throw .notAllowed(old.methods(at: path)) }
            if old.source == .element { return (false, try setElement(value, at: path, now: now)) }
        } else if value.isObject, let parent = path.parent, let id = path.segments.last,
            let list = list(at: parent), list.allSatisfy(\.isObject)
        {
            let item = value.identified(by: id)
            write(Tree(list + [item]), to: parent, at: now)
            return (true, item)
        }
        write(value, to: path, at: now)
        return (old == nil, value)
    }

    /// RFC 7396.
    mutating func merge(
        _ patch: Tree, into path: FixturePath, at now: Int
    ) throws(FixtureRefusal) -> Tree {
        guard let old = try document(at: path) else { throw .notFound }
        guard old.allows("PATCH", at: path) else { throw .notAllowed(old.methods(at: path)) }
        let merged = try old.value(at: path).merged(with: patch)
        if old.source == .element { return try setElement(merged, at: path, now: now) }
        write(merged, to: path, at: now)
        return merged
    }

    mutating func remove(_ path: FixturePath, at now: Int) throws(FixtureRefusal) {
        guard let old = try document(at: path) else { throw .notFound }
        guard old.allows("DELETE", at: path) else { throw .notAllowed(old.methods(at: path)) }
        guard old.source == .element, let parent = path.parent, let list = list(at: parent) else {
            return delete(path)
        }
        write(Tree(list.filter { $0.id != path.segments.last }), to: parent, at: now)
    }

    /// An item keeps the id by which it is found.
    private mutating func setElement(
        _ value: Tree, at path: FixturePath, now: Int
    ) throws(FixtureRefusal) -> Tree {
        guard value.isObject else { throw FixtureRefusal(422, "An item of a list must be an object") }
        guard let parent = path.parent, let id = path.segments.last, var list = list(at: parent),
            let index = list.firstIndex(where: { $0.id == id })
        else { throw .notFound }
        list[index] = list[index]["id"].map { value.setting("id", to: $0) } ?? value
        write(Tree(list), to: parent, at: now)
        return list[index]
    }

    private func newID(in list: [Tree], at path: FixturePath) throws(FixtureRefusal) -> String {
        var number = list.compactMap { $0.id.flatMap { Int($0) } }.max() ?? 0
        while true {
            let (next, overflow) = number.addingReportingOverflow(1)
            guard !overflow else { throw FixtureRefusal(409, "There is no greater id left") }
            number = next
            guard let place = path.appending(String(number)), try document(at: place) != nil else {
                return String(number)
            }
        }
    }
}
