package import RestEngine

/// A JSON patch (RFC 6902): operations that are all applied, or none.
package struct JSONPatch: Sendable {
    private let operations: [Operation]

    private struct Operation: Sendable {
        let number: Int
        let change: Change
        let path: JSONPointer

        func fault(_ message: String) -> JSONToolsError {
            JSONToolsError("operation \(number) (\(change.name)): \(message)")
        }
    }

    private enum Change: Sendable {
        case add(Tree)
        case remove
        case replace(Tree)
        case move(JSONPointer)
        case copy(JSONPointer)
        case test(Tree)

        var name: String {
            switch self {
            case .add: "add"
            case .remove: "remove"
            case .replace: "replace"
            case .move: "move"
            case .copy: "copy"
            case .test: "test"
            }
        }
    }

    /// More operations are refused.
    package static let mostOperations = 10_000
    /// Values that are nested deeper are refused: JSON text can't hold them.
    static let mostDepth = 512
    /// Bytes that copies may add.
    static let mostCopied = 64 << 20

    private static let names = ["add", "remove", "replace", "move", "copy", "test"]

    /// Reads the list of operations.
    package init(_ list: Tree, poll: () throws -> Void = {}) throws {
        // A Lua table without items may be either.
        guard list.kind == .array || list.kind == .object && list.count == 0 else {
            throw JSONToolsError("the operations aren't a list: write { { op = \"add\", … } }")
        }
        guard list.count <= Self.mostOperations else {
            throw JSONToolsError("there are \(list.count) operations, and \(Self.mostOperations) are allowed")
        }
        var operations: [Operation] = []
        for operation in list.elements {
            try poll()
            operations.append(try Self.operation(operation, operations.count + 1))
        }
        self.operations = operations
    }

    private static func operation(_ tree: Tree, _ number: Int) throws(JSONToolsError) -> Operation {
        guard tree.kind == .object else { throw JSONToolsError("operation \(number) isn't an object") }
        guard let name = tree["op"]?.string else {
            throw JSONToolsError("operation \(number) has no text 'op'")
        }
        guard names.contains(name) else {
            throw JSONToolsError(
                "operation \(number) has the unknown op '\(name.shortened)': write one of "
                    + names.joined(separator: ", "))
        }
        func pointer(_ key: String) throws(JSONToolsError) -> JSONPointer {
            guard let text = tree[key]?.string else {
                throw JSONToolsError("operation \(number) (\(name)) has no text '\(key)'")
            }
            do throws(JSONToolsError) { return try JSONPointer(text) } catch {
                throw JSONToolsError("operation \(number) (\(name)), \(key): \(error.message)")
            }
        }
        func value() throws(JSONToolsError) -> Tree {
            guard let value = tree["value"] else {
                throw JSONToolsError("operation \(number) (\(name)) has no 'value': use rest.null for null")
            }
            return value
        }
        let change: Change =
            switch name {
            case "add": .add(try value())
            case "remove": .remove
            case "replace": .replace(try value())
            case "move": .move(try pointer("from"))
            case "copy": .copy(try pointer("from"))
            default: .test(try value())
            }
        return Operation(number: number, change: change, path: try pointer("path"))
    }

    /// The patched value. Throws for the first operation that can't be applied.
    package func apply(to tree: Tree, poll: () throws -> Void = {}) throws -> Tree {
        var value = DraftValue.whole(tree)
        var copied = 0
        for operation in operations {
            try poll()
            try Self.apply(operation, to: &value, &copied, poll)
        }
        return value.tree
    }

    private static func apply(
        _ operation: Operation, to value: inout DraftValue, _ copied: inout Int,
        _ poll: () throws -> Void
    ) throws {
        switch operation.change {
        case .add(let new): try add(.whole(new), operation, to: &value)
        case .remove: try remove(operation.path, operation, from: &value)
        case .replace(let new): try replace(by: new, operation, in: &value)
        case .move(let from):
            guard let moved = value.value(at: from.tokens[...]) else { throw missing(from, operation) }
            let (to, old) = (operation.path.tokens, from.tokens)
            if to.count == old.count, to.map(Name.init) == old.map(Name.init) { return }
            guard !to.map(Name.init).starts(with: old.map(Name.init)) else {
                throw operation.fault("a value can't move into itself, from '\(from)' to '\(operation.path)'")
            }
            try remove(from, operation, from: &value)
            try add(moved, operation, to: &value)
        case .copy(let from):
            guard let new = value.value(at: from.tokens[...]) else { throw missing(from, operation) }
            copied += new.size.bytes
            guard copied <= mostCopied else {
                throw operation.fault("the copies take more than \(mostCopied >> 20) MiB")
            }
            try add(new, operation, to: &value)
        case .test(let expected):
            guard let found = value.value(at: operation.path.tokens[...]) else {
                throw missing(operation.path, operation)
            }
            let tree = found.tree
            guard try tree.isSame(as: expected, poll: poll) else {
                throw operation.fault(
                    "the value at '\(operation.path)' is \(tree.description.shortened) instead of "
                        + expected.description.shortened)
            }
        }
    }

    private static func missing(_ pointer: JSONPointer, _ operation: Operation) -> JSONToolsError {
        operation.fault("there is no value at '\(pointer.description.shortened)'")
    }

    private static func add(
        _ new: DraftValue, _ operation: Operation, to value: inout DraftValue
    ) throws(JSONToolsError) {
        let path = operation.path
        guard path.tokens.count + new.size.depth <= mostDepth else {
            throw operation.fault("the result is nested deeper than \(mostDepth) levels")
        }
        guard !path.tokens.isEmpty else {
            value = new
            return
        }
        try change(path, operation, in: &value) { (container, token) throws(JSONToolsError) in
            switch container {
            case .whole: throw operation.fault("the parent of '\(path)' is neither array nor object")
            case .array(var elements):
                let index = token == "-" ? elements.count : JSONPointer.index(token)
                guard let index, index <= elements.count else {
                    throw operation.fault(
                        "'\(token.shortened)' is no index of the array of \(elements.count)")
                }
                container = .array([])
                elements.insert(new, at: index)
                container = .array(elements)
            case .object(var members):
                container = .object([])
                if let index = members.firstIndex(where: { $0.name == Name(token) }) {
                    members[index].value = new
                } else {
                    members.append((Name(token), new))
                }
                container = .object(members)
            }
        }
    }

    private static func remove(
        _ path: JSONPointer, _ operation: Operation, from value: inout DraftValue
    ) throws(JSONToolsError) {
        guard !path.tokens.isEmpty else { throw operation.fault("the whole value can't be removed") }
        try change(path, operation, in: &value) { (container, token) throws(JSONToolsError) in
            switch container {
            case .whole: throw missing(path, operation)
            case .array(var elements):
                guard let index = JSONPointer.index(token), index < elements.count else {
                    throw missing(path, operation)
                }
                container = .array([])
                elements.remove(at: index)
                container = .array(elements)
            case .object(var members):
                guard let index = members.firstIndex(where: { $0.name == Name(token) }) else {
                    throw missing(path, operation)
                }
                container = .object([])
                members.remove(at: index)
                container = .object(members)
            }
        }
    }

    private static func replace(
        by new: Tree, _ operation: Operation, in value: inout DraftValue
    ) throws(JSONToolsError) {
        guard value.value(at: operation.path.tokens[...]) != nil else {
            throw missing(operation.path, operation)
        }
        // In an array, the operation add would move the elements behind it. In an object it replaces, and
        // keeps the member's place.
        if value.value(at: operation.path.tokens.dropLast())?.isArray == true, !operation.path.tokens.isEmpty
        {
            try remove(operation.path, operation, from: &value)
        }
        try add(.whole(new), operation, to: &value)
    }

    private static func change(
        _ path: JSONPointer, _ operation: Operation, in value: inout DraftValue,
        _ body: (inout DraftValue, String) throws(JSONToolsError) -> Void
    ) throws(JSONToolsError) {
        guard try value.change(path.tokens[...], body) else {
            throw operation.fault("there is no parent of '\(path.description.shortened)'")
        }
    }
}
