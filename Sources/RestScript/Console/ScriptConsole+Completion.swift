import LuaRuntime
import RestEngine

extension ScriptConsole {
    /// Names that may follow at the end of a text: globals and keywords, fields behind a dot, methods behind
    /// a colon. Only names and dots before the end are evaluated, never calls.
    public func completions(of text: String) -> [String] {
        guard !host.isClosed else { return [] }
        let tail = String(text.reversed().prefix { Self.isPart($0) }.reversed())
        let split = tail.lastIndex { $0 == "." || $0 == ":" }
        let prefix = split.map { tail[tail.index(after: $0)...] } ?? tail[...]
        let names: [String]
        if let split {
            let path = tail[..<split].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            names = fields(of: path, areMethods: tail[split] == ":")
        } else {
            names = Self.words + fields(of: [], areMethods: false)
        }
        return Set(names.filter { $0.hasPrefix(prefix) && Self.isName($0) }).sorted()
    }

    private static func isPart(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber) || "_.:".contains(character)
    }

    private static func isName(_ text: String) -> Bool {
        text.first?.isNumber == false && text.allSatisfy { isPart($0) && $0 != "." && $0 != ":" }
    }

    private static let words = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
        "local",
        "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ]

    /// The field names of a value that is reached by names alone. An empty path means the console's globals.
    private func fields(of path: [String], areMethods: Bool) -> [String] {
        guard path.allSatisfy(Self.isName) else { return [] }
        let lua = context.state.main
        let height = lua.top
        defer { lua.setTop(height) }
        do {
            guard !path.isEmpty else {
                lua.push(environment)
                let own = try keys(lua, ofFunctions: false)
                context.sandbox.pushGlobals(on: lua)
                return try own + keys(lua, ofFunctions: false)
            }
            let text = "return " + path.joined(separator: ".")
            lua.push(try context.sandbox.compile(text, chunk: Self.chunk, environment: environment))
            try lua.call(arguments: 0, results: 1, phase: context.phases.predicate)
            if lua.type(-1) == .string {
                lua.pop()
                context.sandbox.pushGlobals(on: lua)
                try lua.get(-1, "string")
            }
            if lua.type(-1) == .table { return try keys(lua, ofFunctions: areMethods) }
            let name = lua.typeName(-1)
            guard lua.type(-1) == .userdata,
                let found = context.values.classes.first(where: { $0.class.name == name })?.class
            else { return [] }
            return found.methods.map(\.name) + (areMethods ? [] : found.properties.map(\.name))
        } catch { return [] }
    }

    /// The keys of the table on top of the stack. They are read with `pairs`, because a frozen table keeps
    /// its content elsewhere.
    private func keys(_ lua: Lua, ofFunctions: Bool) throws(LuaError) -> [String] {
        let chunk = """
            local value, functions = ...
            local names = {}
            for key, field in pairs(value) do
              if type(key) == "string" and (not functions or type(field) == "function") then names[#names + 1] = key end
              if #names == 2000 then break end
            end
            return names
            """
        let place = lua.top
        lua.push(try context.sandbox.compile(chunk, chunk: Self.chunk))
        lua.pushValue(at: place)
        lua.push(ofFunctions)
        try lua.call(arguments: 2, results: 1, phase: context.phases.predicate)
        return (0..<lua.rawLength(-1)).compactMap { item in
            lua.rawGet(-1, item + 1)
            defer { lua.pop() }
            return lua.string(-1)
        }
    }
}
