import RestEngine

/// A value that a patch changes. Only containers on the way to a change are taken apart.
enum DraftValue {
    case whole(Tree)
    case array([DraftValue])
    case object([(name: Name, value: DraftValue)])

    var isArray: Bool {
        switch self {
        case .whole(let tree): tree.kind == .array
        case .array: true
        case .object: false
        }
    }

    private var opened: DraftValue {
        guard case .whole(let tree) = self else { return self }
        return switch tree.kind {
        case .array: .array(tree.elements.map(DraftValue.whole))
        case .object: .object(tree.pairs.map { (Name($0.key), .whole($0.value)) })
        default: self
        }
    }

    /// The value there; nil if there is none.
    func value(at tokens: ArraySlice<String>) -> DraftValue? {
        guard let token = tokens.first else { return self }
        switch self {
        case .whole(let tree):
            return JSONPointer(tokens: Array(tokens)).value(in: tree).map(DraftValue.whole)
        case .array(let elements):
            guard let index = JSONPointer.index(token), index < elements.count else { return nil }
            return elements[index].value(at: tokens.dropFirst())
        case .object(let members):
            return members.first { $0.name == Name(token) }?.value.value(at: tokens.dropFirst())
        }
    }

    /// Changes the container at the last but one of the tokens. False if there is none.
    mutating func change<Failure: Error>(
        _ tokens: ArraySlice<String>, _ body: (inout DraftValue, String) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard let token = tokens.first else { return false }
        self = opened
        guard tokens.count > 1 else {
            try body(&self, token)
            return true
        }
        switch self {
        case .whole: return false
        case .array(var elements):
            guard let index = JSONPointer.index(token), index < elements.count else { return false }
            // The copy here would otherwise be the second owner of the elements.
            self = .array([])
            defer { self = .array(elements) }
            return try elements[index].change(tokens.dropFirst(), body)
        case .object(var members):
            guard let index = members.firstIndex(where: { $0.name == Name(token) }) else { return false }
            self = .object([])
            defer { self = .object(members) }
            return try members[index].value.change(tokens.dropFirst(), body)
        }
    }

    var tree: Tree {
        if case .whole(let tree) = self { return tree }
        var builder = Tree.Builder()
        write(to: &builder)
        return builder.finish()
    }

    private func write(to builder: inout Tree.Builder) {
        switch self {
        case .whole(let tree): builder.tree(tree)
        case .array(let elements):
            builder.array { builder in
                for element in elements { element.write(to: &builder) }
            }
        case .object(let members):
            builder.object { builder in
                for member in members {
                    builder.key(member.name.text)
                    member.value.write(to: &builder)
                }
            }
        }
    }

    /// The bytes of the value, about, and the depth of its containers.
    var size: (bytes: Int, depth: Int) {
        switch self {
        case .whole(let tree): (tree.byteCount, tree.containerDepth)
        case .array(let elements): Self.sum(elements)
        case .object(let members): Self.sum(members.map(\.value))
        }
    }

    private static func sum(_ parts: [DraftValue]) -> (bytes: Int, depth: Int) {
        parts.reduce(into: (16, 1)) { sum, part in
            let size = part.size
            sum = (sum.0 + size.bytes + 16, max(sum.1, size.depth + 1))
        }
    }
}

extension Tree {
    /// 0 for a scalar.
    fileprivate var containerDepth: Int {
        switch kind {
        case .array: 1 + (elements.lazy.map(\.containerDepth).max() ?? 0)
        case .object: 1 + (pairs.lazy.map(\.value.containerDepth).max() ?? 0)
        default: 0
        }
    }
}
