/// A JSON value of a fixture. Numbers keep their text and members their order: what was sent comes back.
enum FixtureJSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([FixtureJSON])
    case object([Member])

    struct Member: Sendable, Equatable {
        var name: String
        var value: FixtureJSON

        init(_ name: String, _ value: FixtureJSON) {
            self.name = name
            self.value = value
        }
    }

    /// A member's value; of repeated names the last counts. Setting nil removes it.
    subscript(name: String) -> FixtureJSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.last { $0.name == name }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            guard let newValue else {
                members.removeAll { $0.name == name }
                self = .object(members)
                return
            }
            if let index = members.lastIndex(where: { $0.name == name }) {
                members[index].value = newValue
            } else {
                members.append(Member(name, newValue))
            }
            self = .object(members)
        }
    }

    var elements: [FixtureJSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var isObject: Bool {
        if case .object = self { true } else { false }
    }

    /// What names an item in a path: its `id`, a text or a number.
    var id: String? {
        switch self["id"] {
        case .string(let id), .number(let id): id
        default: nil
        }
    }

    /// The same object with this id: in its old place, or else first. A number stays a number.
    func identified(by id: String) -> FixtureJSON {
        guard case .object(let members) = self, self.id != id else { return self }
        let isNumber = Int(id).map { String($0) == id } ?? false
        let value: FixtureJSON = isNumber ? .number(id) : .string(id)
        guard self["id"] == nil else {
            var copy = self
            copy["id"] = value
            return copy
        }
        return .object([Member("id", value)] + members)
    }

    /// RFC 7396 section 2.
    func merged(with patch: FixtureJSON) -> FixtureJSON {
        guard case .object(let changes) = patch else { return patch }
        var result = isObject ? self : .object([])
        for change in changes {
            result[change.name] =
                change.value == .null ? nil : (result[change.name] ?? .null).merged(with: change.value)
        }
        return result
    }
}
