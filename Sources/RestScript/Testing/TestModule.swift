import LuaRuntime
import Platform
import RestEngine

/// `require "resthost.test"`: the table that tests call `t`.
extension ScriptTestFile {
    func pushTestModule(on lua: Lua) {
        let table = testModule
        table.push(on: lua)
        // `t.raises` calls a function that may wait, so it begins in Lua.
        lua.push(
            guardNotifying: hostFunction { [unowned self] in try judgeError($0) }, name: "t.raises")
        lua.rawSet(-2, "raises")
        table.seal(on: lua)
    }

    var testModule: ModuleTable {
        ModuleTable(name: "t", functions: declaringFunctions + checkingFunctions + hostFunctions)
    }

    private var declaringFunctions: [ModuleFunction] {
        [
            ModuleFunction("test", "(name: string, fn)", "Declares a test. It runs on its own and may wait.")
            {
                [unowned self] call in
                try requireDeclaring("t.test")
                let name = try testName(call)
                add(name, call.lua.callerPlace?.line, function: try call.function(2, "fn"))
                return .none
            },
            ModuleFunction(
                "describe", "(name: string, fn)",
                "A group: its name is put before the names of the tests that fn declares."
            ) { [unowned self] call in
                try requireDeclaring("t.describe")
                let name = try testName(call)
                call.lua.push(try call.function(2, "fn"))
                groups.append(TestGroup(name))
                defer { groups.removeLast() }
                try call.lua.call(arguments: 0, results: 0, phase: home.context.phases.testFile)
                return .none
            },
            ModuleFunction(
                "before_each", "(fn)",
                "Runs fn before each test of the group, or of the file; those of outer groups come first."
            ) { [unowned self] call in
                try requireDeclaring("t.before_each")
                let function = try call.function(1, "fn")
                groups.last?.before.append(function)
                return .none
            },
            ModuleFunction("skip", "(name: string, why: string?)", "Declares a test that is not run.") {
                [unowned self] call in
                try requireDeclaring("t.skip")
                let name = try testName(call)
                // A test that is changed from t.test to t.skip usually keeps its function.
                let reason = call.type(2) == .function ? nil : try call.optionalString(2, "why")
                add(name, call.lua.callerPlace?.line, function: nil, skipReason: reason ?? "")
                return .none
            },
        ]
    }

    private func testName(_ call: Arguments) throws -> String {
        let name = try call.string(1, "name")
        guard name.contains(where: { !$0.isWhitespace }) else { throw call.bad(1, "name", "it is empty") }
        return name
    }

    private func requireDeclaring(_ name: String) throws {
        guard isDeclaring else {
            throw LuaUsageError(
                "\(name) belongs into the text of a test file or into t.describe: a running test can't declare another"
            )
        }
    }

    // MARK: Hosts

    private var hostFunctions: [ModuleFunction] {
        [
            recordFunction,
            ModuleFunction(
                "load", "(path: string | { ... }) -> host",
                "Loads a script, whose path is relative to the test file, into a fresh host.",
                options: Self.loadOptions.descriptions
            ) { [unowned self] call in
                try requireUnfailed()
                let host = try load(call)
                adopt(host)
                call.lua.push(object: host, class: hostClass)
                return .one
            },
            ModuleFunction("host", "() -> host", "A fresh host without a script.") { [unowned self] call in
                try requireUnfailed()
                let host = TestHost(empty: "", folder: folder, options: options, sharing: home.context.shared)
                adopt(host)
                call.lua.push(object: host, class: hostClass)
                return .one
            },
        ]
    }

    private nonisolated static let loadOptions = ScriptSchema<[UInt8]>([
        ScriptOption<[UInt8]>("source", type: "string", "The script itself.") { options, source, _ in
            source = try options.bytes("source") ?? []
        }.required()
    ])

    private func load(_ call: Arguments) throws -> TestHost {
        if call.type(1) == .table {
            var source: [UInt8] = []
            try call.options(1).read(Self.loadOptions, into: &source)
            return try load(source, path: folder == "." ? "(source)" : "\(folder)/(source)", isFile: false)
        }
        let name = try call.string(1, "path")
        let path = name.hasPrefix("/") || folder == "." ? name : "\(folder)/\(name)"
        let source: [UInt8]
        do throws(Diagnostic) { source = try ScriptSource.read(path) } catch {
            throw LuaUsageError("cannot load '\(path)': \(error.message)")
        }
        return try load(source, path: path, isFile: true)
    }

    private func load(_ source: [UInt8], path: String, isFile: Bool) throws -> TestHost {
        do throws(Diagnostic) {
            return try TestHost(
                loading: source, path: path, isFile: isFile, options: options, sharing: home.context.shared)
        } catch {
            // The error keeps the script's own place and message.
            throw LuaError(kind: .runtime, message: error.message, file: error.file, line: error.line)
        }
    }

    /// Throws after a failure of the test, which may go on until its next wait.
    func requireUnfailed() throws {
        if run?.failure != nil {
            throw LuaError(kind: .cancelled, message: "the test has failed already")
        }
    }
}
