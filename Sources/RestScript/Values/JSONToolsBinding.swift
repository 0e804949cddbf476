import JSONTools
import LuaRuntime
import Platform
import RestEngine

/// `rest.json.pointer/patch/merge/path/paths`.
struct JSONToolsBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(tables: [
            ModuleTable(name: "rest.json", functions: [pointer, patch, merge, path, paths])
        ])
    }

    /// Steps that one path may take, about one for each visited value.
    private static let mostSteps = 5_000_000

    private var pointer: ModuleFunction {
        ModuleFunction(
            "pointer", signature: "(value, pointer: string) -> value | nil",
            documentation:
                "The part of a value at a JSON pointer (RFC 6901), such as `/items/0/name`, itself and no copy; nil if "
                + "there is none, `rest.null` for null."
        ) { call in
            let lua = call.lua
            let place = try call.any(1, "value")
            let pointer: JSONPointer
            do { pointer = try JSONPointer(try call.string(2, "pointer")) } catch let fault as JSONToolsError
            {
                throw call.bad(2, "pointer", fault.message)
            }
            guard [.table, .string, .number, .boolean].contains(lua.type(place)) || pointer.tokens.isEmpty
            else {
                throw call.wrongType(1, "value", "table")
            }
            lua.pushValue(at: place)
            for token in pointer.tokens {
                try step(token, lua)
                lua.remove(-2)
            }
            return .one
        }
    }

    /// Pushes the member or item that a token names in the value on top; nil if there is none.
    private func step(_ token: String, _ lua: Lua) throws {
        guard lua.type(-1) == .table else { return lua.pushNil() }
        try lua.get(-1, token)
        guard lua.type(-1) == .nil, let index = JSONPointer.index(token), index < .max else { return }
        lua.pop()
        lua.push(index + 1)
        try lua.get(-2)
    }

    private var patch: ModuleFunction {
        ModuleFunction(
            "patch", signature: "(value, operations: table[]) -> value | nil, message",
            documentation:
                "The value after the operations of a JSON patch (RFC 6902), all of them or none. The arguments stay "
                + "as they are."
        ) { call in
            let tree = try values.tree(call, 1, "value")
            _ = try call.table(2, "operations")
            let operations = try values.tree(call, 2, "operations")
            return try values.result(call) {
                trees.push(
                    try JSONPatch(operations, poll: call.lua.poll).apply(to: tree, poll: call.lua.poll),
                    on: call.lua)
            }
        }
    }

    private var merge: ModuleFunction {
        ModuleFunction(
            "merge", signature: "(value, patch: any) -> value",
            documentation:
                "The value after a JSON merge patch (RFC 7396): objects are merged, `rest.null` removes a member, "
                + "other values replace. The arguments stay as they are."
        ) { call in
            let tree = try values.tree(call, 1, "value")
            let patch = try values.tree(call, 2, "patch")
            trees.push(try MergePatch.apply(patch, to: tree, poll: call.lua.poll), on: call.lua)
            return .one
        }
    }

    private var path: ModuleFunction {
        ModuleFunction(
            "path", signature: "(value, path: string, options?: { ... }) -> any[] | nil, message",
            documentation: "The parts of a value that a JSONPath (RFC 9535) finds, in order.",
            options: Self.pathOptions.descriptions
        ) { call in
            try values.result(call) {
                trees.push(Tree(try matches(call, withPaths: false).map(\.value)), on: call.lua)
            }
        }
    }

    private var paths: ModuleFunction {
        ModuleFunction(
            "paths", signature: "(value, path: string, options?: { ... }) -> string[] | nil, message",
            documentation: "The normalized paths of the same parts, such as `$['items'][0]`.",
            options: Self.pathOptions.descriptions
        ) { call in
            try values.result(call) {
                let matches = try matches(call, withPaths: true)
                call.lua.newTable(array: Int32(clamping: matches.count))
                for (index, match) in matches.enumerated() {
                    try call.lua.poll()
                    call.lua.push(match.path)
                    call.lua.rawSet(-2, index + 1)
                }
            }
        }
    }

    private static let pathOptions = ScriptSchema<Int>([
        .count(
            "most", from: 1, to: 1_000_000, default: "100000",
            "The most parts that may be found; more are an error."
        ) { $0 = $1 }
    ])

    private func matches(_ call: Arguments, withPaths: Bool) throws -> [JSONPath.Match] {
        let tree = try values.tree(call, 1, "value")
        let path = try JSONPath(try call.string(2, "path"))
        var most = 100_000
        try call.options(3).read(Self.pathOptions, into: &most)
        return try path.matches(
            in: tree, withPaths: withPaths, most: most,
            work: WorkLimit(steps: Self.mostSteps, poll: call.lua.poll))
    }
}

extension ScriptValues {
    /// An argument as a tree.
    func tree(_ call: Arguments, _ index: Int32, _ name: String) throws -> Tree {
        let place = try call.any(index, name)
        do { return try trees.tree(call.lua, place) } catch {
            throw error == .spent ? error : call.bad(index, name, error.message)
        }
    }

    /// The value that `body` pushes; nil and a message for a fault in what the script gave.
    func result(_ call: Arguments, _ body: () throws -> Void) throws -> CallResult {
        do {
            try body()
            return .one
        } catch let fault as JSONToolsError {
            call.lua.pushNil()
            call.lua.push(fault.message)
            return .results(2)
        }
    }
}
