/// A place where a chunk gives a global a value.
public struct GlobalAssignment: Sendable, Equatable {
    public let name: String
    public let line: Int
    /// In a function of the chunk, else in its main part, which runs once.
    public let isInFunction: Bool
}

/// A place where a chunk reads a global.
public struct GlobalRead: Sendable, Equatable {
    public let name: String
    public let line: Int
    /// It is looked at whether there is a value: `if x`, `x and y`, `x or y`.
    public let isTest: Bool
}

extension LuaSandbox {
    /// The reads and writes of globals in a text; see ``globalAssignments(in:chunk:)``.
    public func globalUses(
        in source: [UInt8], chunk: String
    ) throws(LuaError) -> (assignments: [GlobalAssignment], reads: [GlobalRead]) {
        let lua = state.main
        lua.push(try compile(source, chunk: chunk))
        defer { lua.pop() }
        guard let chunk = BinaryChunk(LuaState.dump(of: lua)) else { return ([], []) }
        let uses = GlobalAssignments(chunk)
        return (
            uses.found.sorted { ($0.line, $0.name) < ($1.line, $1.name) },
            uses.reads.sorted { ($0.line, $0.name) < ($1.line, $1.name) }
        )
    }

    /// Names of the globals that have a value; nil when a metatable answers for others.
    public func globalNames() -> Set<String>? {
        let lua = state.main
        let height = lua.top
        defer { lua.setTop(height) }
        pushGlobals(on: lua)
        // Once the script is loaded its globals lie behind a table that can only be read.
        if lua.isFrozen(-1) {
            _ = lua.pushMetatable(-1)
            lua.rawGet(-1, "__index")
        }
        if lua.pushMetatable(-1) { return nil }
        var names: Set<String> = []
        try? lua.forEachPair(-1) { lua in
            if let name = lua.string(-2) { names.insert(name) }
        }
        return names
    }

    /// Where a text assigns globals, found without running it. In a function with more than 255 constants
    /// some are not found, for Lua compiles those in another way.
    public func globalAssignments(in source: [UInt8], chunk: String) throws(LuaError) -> [GlobalAssignment] {
        try globalUses(in: source, chunk: chunk).assignments
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

    /// It comes with the program, and no folder has a file of this name.
    public func isBundled(_ name: String) -> Bool {
        guard bundledModule?(name) != nil else { return false }
        return (try? file(ofModule: name)) == nil
    }

    public func isLoaded(_ name: String) -> Bool {
        guard let loaded = modules.loaded else { return false }
        let lua = state.main
        lua.push(loaded)
        defer { lua.pop(2) }
        return lua.rawGet(-1, name) != .nil
    }
}

/// The instructions that set and read a field of an upvalue, where that upvalue is the chunk's environment
/// (`_ENV`).
struct GlobalAssignments {
    private static let getUpvalueField: UInt32 = 11
    private static let setUpvalueField: UInt32 = 15
    private static let test: UInt32 = 66
    private static let testAndSet: UInt32 = 67

    private(set) var found: [GlobalAssignment] = []
    private(set) var reads: [GlobalRead] = []

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
            visitReads(function, environment)
        }
        for inner in function.functions {
            let known = environment.flatMap { outer in
                inner.upvalues.firstIndex { !$0.isLocal && $0.index == outer }
            }
            visit(inner, environment: known, isInFunction: true)
        }
    }

    private mutating func visitReads(_ function: BinaryChunk.Function, _ environment: Int) {
        for (place, word) in function.code.enumerated() where word & 0x7F == Self.getUpvalueField {
            let key = Int(word >> 24 & 0xFF)
            guard Int(word >> 16 & 0xFF) == environment, function.constants.indices.contains(key),
                let name = function.constants[key], function.lines.indices.contains(place)
            else { continue }
            var isTest = false
            if let next = function.code.dropFirst(place + 1).first {
                // TEST has the register as A, TESTSET as B.
                let register = word >> 7 & 0xFF
                isTest =
                    next & 0x7F == Self.test && next >> 7 & 0xFF == register
                    || next & 0x7F == Self.testAndSet && next >> 16 & 0xFF == register
            }
            reads.append(GlobalRead(name: name, line: function.lines[place], isTest: isTest))
        }
    }
}
