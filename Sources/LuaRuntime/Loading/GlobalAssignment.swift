/// A place where a chunk gives a global a value.
public struct GlobalAssignment: Sendable, Equatable {
    public let name: String
    public let line: Int
    /// In a function of the chunk, else in its main part, which runs once.
    public let isInFunction: Bool
}

extension LuaRealm {
    /// Where a text assigns globals, found without running it. In a function with more than 255 constants some are not
    /// found, for Lua compiles those in another way.
    public func globalAssignments(in source: [UInt8], chunk: String) throws(LuaError) -> [GlobalAssignment] {
        let lua = state.main
        lua.push(try compile(source, chunk: chunk))
        defer { lua.pop() }
        guard let chunk = BinaryChunk(LuaState.dump(of: lua)) else { return [] }
        return GlobalAssignments(chunk).found.sorted { ($0.line, $0.name) < ($1.line, $1.name) }
    }

    /// The file that `require(name)` would load. Throws when there is none.
    public func file(ofModule name: String) throws -> (path: String, source: [UInt8]) {
        switch try ModuleSearch(roots: searchRoots).find(name) {
        case .found(let file): return (file.path, file.source)
        case .missing(let places): throw LuaUsageError("module '\(name)' not found: \(places)")
        }
    }

    /// The host gives it, so there is no file.
    public func isPreloaded(_ name: String) -> Bool { modules.preloaded[name] != nil }

    public func isLoaded(_ name: String) -> Bool {
        guard let loaded = modules.loaded else { return false }
        let lua = state.main
        lua.push(loaded)
        defer { lua.pop(2) }
        return lua.rawGet(-1, name) != .nil
    }
}

/// The instruction that sets a field of an upvalue, where that upvalue is the chunk's environment (`_ENV`).
struct GlobalAssignments {
    private static let setUpvalueField: UInt32 = 15

    private(set) var found: [GlobalAssignment] = []

    init(_ chunk: BinaryChunk) {
        // The only upvalue of a chunk is its environment.
        visit(chunk.main, environment: 0, isInFunction: false)
    }

    private mutating func visit(_ function: BinaryChunk.Function, environment: Int?, isInFunction: Bool) {
        if let environment {
            for (place, word) in function.code.enumerated() where word & 0x7F == Self.setUpvalueField {
                let key = Int(word >> 16 & 0xFF)
                guard Int(word >> 7 & 0xFF) == environment, function.constants.indices.contains(key),
                    let name = function.constants[key], function.lines.indices.contains(place)
                else { continue }
                found.append(
                    GlobalAssignment(name: name, line: function.lines[place], isInFunction: isInFunction))
            }
        }
        for inner in function.functions {
            let known = environment.flatMap { outer in
                inner.upvalues.firstIndex { !$0.isLocal && $0.index == outer }
            }
            visit(inner, environment: known, isInFunction: true)
        }
    }
}
