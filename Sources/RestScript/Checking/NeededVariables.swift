import RestEngine

/// The environment variables that a text can't do without, each once: it joins or indexes the value, which
/// raises for nil, and tests the variable nowhere. `rest.env.NAME`, `rest.env["NAME"]` and
/// `os.getenv "NAME"` read one.
struct NeededVariables {
    let found: [(name: String, line: Int)]

    init(_ source: [UInt8]) {
        found = Self.mayRead(source) ? Self.search(Array(LuaTokens(source))) : []
    }

    /// False for a text without `env`, which most are.
    private static func mayRead(_ source: [UInt8]) -> Bool {
        source.indices.dropLast(2).contains {
            source[$0] == 0x65 && source[$0 + 1] == 0x6E && source[$0 + 2] == 0x76
        }
    }

    private static func search(_ tokens: [LuaTokens.Token]) -> [(name: String, line: Int)] {
        var needed: [(name: String, line: Int)] = []
        var tested: Set<String> = []
        let kinds = tokens.map(\.kind)
        for place in kinds.indices {
            guard let (name, end) = read(kinds, from: place) else { continue }
            if isTest(kinds, place, end) {
                tested.insert(name)
            } else if isUse(kinds, place, end) || isUsedLater(kinds, readAt: place),
                !needed.contains(where: { $0.name == name })
            {
                needed.append((name, tokens[end - 1].line))
            }
        }
        return needed.filter { !tested.contains($0.name) }
    }

    /// Whether `local name = ` stands before the read, and the text joins or indexes that local, and neither
    /// tests nor sets it.
    private static func isUsedLater(_ kinds: [LuaTokens.Kind], readAt start: Int) -> Bool {
        guard start > 2, kinds[start - 1] == .symbol("="), case .name(let name) = kinds[start - 2],
            kinds[start - 3] == .name("local")
        else { return false }
        var isUsed = false
        for place in kinds.indices.dropFirst(start) where kinds[place] == .name(name) {
            // A field of the same name is another value.
            let isField =
                kinds[place - 1] == .dot && kinds[place - 2] != .dot || kinds[place - 1] == .symbol(":")
            if isField { continue }
            if isTest(kinds, place, place + 1) { return false }
            isUsed = isUsed || isUse(kinds, place, place + 1)
        }
        return isUsed
    }

    /// The variable that the tokens from `start` on read, and the place behind them.
    private static func read(_ kinds: [LuaTokens.Kind], from start: Int) -> (name: String, end: Int)? {
        func kind(_ offset: Int) -> LuaTokens.Kind? {
            kinds.indices.contains(start + offset) ? kinds[start + offset] : nil
        }
        guard case .name? = kind(0), kind(1) == .dot, start == 0 || kind(-1) != .dot || kind(-2) == .dot
        else { return nil }
        if kind(2) == .name("env") {
            if kind(3) == .dot, case .name(let name)? = kind(4) { return (name, start + 5) }
            if kind(3) == .symbol("["), case .string(let name?)? = kind(4), kind(5) == .symbol("]") {
                return (name, start + 6)
            }
        }
        guard kind(0) == .name("os"), kind(2) == .name("getenv") else { return nil }
        if case .string(let name?)? = kind(3) { return (name, start + 4) }
        if kind(3) == .symbol("("), case .string(let name?)? = kind(4), kind(5) == .symbol(")") {
            return (name, start + 6)
        }
        return nil
    }

    private static func isTest(_ kinds: [LuaTokens.Kind], _ start: Int, _ end: Int) -> Bool {
        let before = start > 0 ? kinds[start - 1] : .symbol(";")
        if [.name("not"), .name("if"), .name("elseif"), .name("while"), .name("until")].contains(before) {
            return true
        }
        // `assert(…)` has a message of its own, and the comparisons with nil are tests.
        if start > 1, before == .symbol("("), kinds[start - 2] == .name("assert") { return true }
        guard end < kinds.count else { return false }
        return [.name("or"), .name("and"), .symbol("="), .symbol("~")].contains(kinds[end])
    }

    private static func isUse(_ kinds: [LuaTokens.Kind], _ start: Int, _ end: Int) -> Bool {
        if start > 1, kinds[start - 1] == .dot, kinds[start - 2] == .dot { return true }
        guard end + 1 < kinds.count else { return false }
        switch (kinds[end], kinds[end + 1]) {
        case (.dot, .dot), (.dot, .name), (.symbol(UInt8(ascii: ":")), .name): return true
        default: return false
        }
    }
}

extension LuaTokens.Kind {
    fileprivate static let dot = symbol(".")

    fileprivate static func symbol(_ character: Unicode.Scalar) -> Self { .symbol(UInt8(ascii: character)) }
}

extension ScriptContext {
    /// The error of a script that could not work: it needs a variable that is not granted, or not set. Only
    /// its own files count, because libraries may have other habits.
    func missingVariable(_ source: [UInt8], path: String) -> Diagnostic? {
        var files = [(path, source)]
        for file in declarations.loadedFiles where file.hasPrefix(grants.folder + "/") {
            if let source = try? ScriptSource.read(file) { files.append((file, source)) }
        }
        for (path, source) in files {
            for (name, line) in NeededVariables(source).found {
                if let finding = finding(onVariable: name, file: path, line: line) { return finding }
            }
        }
        return nil
    }

    func finding(onVariable name: String, file: String, line: Int) -> Diagnostic? {
        if let refusal = grants.permissions.refusalOfVariable(name) {
            return Diagnostic(
                code: "ungranted_variable", EnvBinding.refusalText(name, refusal), file: file, line: line)
        }
        guard options.environment[name] == nil else { return nil }
        return Diagnostic(
            code: "unset_variable", "the environment variable '\(name)' is not set, and the script needs it",
            file: file, line: line,
            hint: "set it before the program starts, in the shell or in EnvironmentFile of the unit; if the "
                + "script can do without it, write (rest.env.\(name) or \"…\")")
    }
}
