import RestEngine

/// What POST, PUT, PATCH and DELETE do.
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
