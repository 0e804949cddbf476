public import LuaRuntime
public import RestEngine

/// A `*_test.lua` file: one Lua state for it and all the scripts that its tests load; see
/// docs/guides/testing.md.
///
/// ```swift
/// let file = ScriptTestFile(path: "users_test.lua", options: ScriptOptions())
/// try file.load()
/// for test in file.tests { print(await file.run(test)) }
/// file.close()
/// ```
@EngineActor
public final class ScriptTestFile {
    public let path: String
    let folder: String
    let options: ScriptOptions
    /// The host of the file itself. It owns the state, and `require "resthost"` in the file belongs to it.
    let home: TestHost
    let log = TestLog()

    public private(set) var tests: [ScriptTest] = []
    /// The groups to which `t.test` adds a test: the file, then the groups that are being declared.
    var groups = [TestGroup("")]
    /// True while the file's own text runs.
    private(set) var isDeclaring = false
    /// The test that is running.
    private(set) var run: TestRun?
    /// The hosts that a waiting test can wait for: the file's own, then those of the test.
    private(set) var hosts: [TestHost]
    /// Hosts that were made outside of tests. They live as long as the file.
    private var fileHosts: [TestHost] = []
    /// Hosts whose test has ended. The file may still hold objects of theirs.
    private(set) var endedHosts: [TestHost] = []

    lazy var hostClass = makeHostClass()
    lazy var servicesClass = makeServicesClass()
    lazy var answerClass = makeAnswerClass()
    lazy var stubClass = makeStubClass()
    /// The metatable with which names of a request's headers compare without case.
    var headersMetatable: LuaReference?

    /// - Parameters:
    ///   - options: The options of the file and its scripts. The file has its own log and transports.
    ///   - coversLines: True to count the lines of the scripts, see ``lineHits``.
    ///   - path: The file of tests.
    public init(path: String, options: ScriptOptions, coversLines: Bool = false) {
        self.path = path
        folder = ScriptSource.folder(of: path)
        var options = options
        options.log = { [log] in log.append($0) }
        options.makeTransport = nil
        options.collectsDiagnostics = false
        self.options = options
        home = TestHost(empty: path, folder: folder, options: options, sharing: nil)
        hosts = [home]
        watch(home)
        if coversLines { home.context.state.coverLines() }
        home.context.sandbox.preload(
            "resthost.test", onLoop { [unowned self] (lua: Lua) in pushTestModule(on: lua) })
        addCollecting()
    }

    /// Reads the file and runs its text, which declares the tests.
    public func load() throws(Diagnostic) {
        let source = try ScriptSource.read(path)
        try load(source)
    }

    func load(_ source: [UInt8]) throws(Diagnostic) {
        isDeclaring = true
        defer { isDeclaring = false }
        do throws(LuaError) {
            let lua = home.context.state.main
            lua.push(try home.context.sandbox.compile(source, chunk: path))
            try lua.call(arguments: 0, results: 0, phase: home.context.phases.testFile)
        } catch {
            tests = []
            throw diagnostic(of: error)
        }
    }

    /// An error of the file, or of what its tests call.
    func diagnostic(of error: LuaError) -> Diagnostic {
        ScriptFailures.diagnostic(of: error, in: home.context.state)
    }

    func add(_ name: String, _ line: Int?, function: LuaReference?, skipReason: String? = nil) {
        let names = groups.dropFirst().map(\.name) + [name]
        tests.append(
            ScriptTest(
                name: names.joined(separator: ScriptTest.nameSeparator), file: path, line: line,
                skipReason: skipReason, groups: groups, function: function))
    }

    // MARK: Running

    /// Runs one test on fresh hosts, one at a time.
    public func run(_ test: ScriptTest) async -> ScriptTestResult {
        if let reason = test.skipReason { return ScriptTestResult(test, .skipped(reason)) }
        _ = log.take()
        let run = TestRun(test, in: self)
        self.run = run
        let result = await run.perform()
        endedHosts += run.hosts
        hosts = [home] + fileHosts
        self.run = nil
        return result
    }

    func adopt(_ host: TestHost) {
        watch(host)
        hosts.append(host)
        if let run { run.adopt(host) } else { fileHosts.append(host) }
    }

    private func watch(_ host: TestHost) {
        options.onTestEngine?(host.engine)
        host.transport.onUnmatched = { [weak self, weak host] request in
            guard let self, let host else { return }
            run?.fail(UnstubbedRequest(request, host).diagnostic(place: runningPlace))
        }
    }

    /// The place at which the running script is, or at which the test waits.
    var runningPlace: (file: String, line: Int)? { home.context.state.runningPlace ?? run?.place }

    // MARK: End

    /// The log since the last test.
    public func takeOutput() -> [ScriptLogEntry] { log.take() }

    /// How many times each line of the scripts ran; empty unless lines are counted.
    public var lineHits: [LineHits] { home.isClosed ? [] : home.context.state.lineHits }

    public var memoryUsed: Int { home.context.state.memoryUsed }

    /// Frees the file and everything that it loaded. False when Lua still held host objects, which is a fault
    /// of the program.
    @discardableResult
    public func close() -> Bool {
        for host in fileHosts { host.close() }
        for host in fileHosts + endedHosts { host.clear() }
        fileHosts = []
        endedHosts = []
        hosts = []
        tests = []
        groups = []
        headersMetatable = nil
        return home.close()
    }
}

extension ScriptTestFile {
    /// `collectgarbage` of a test file, so that tests can check weak references. Scripts have only `"count"`.
    func addCollecting() {
        let lua = home.context.state.main
        home.context.sandbox.pushGlobals(on: lua)
        lua.push(
            function: hostFunction { [unowned self] call in
                let option = call.isAbsent(1) ? "collect" : try call.string(1, "option")
                switch option {
                case "collect":
                    return home.context.runner.unwound(call) { [unowned self] in
                        home.context.state.collectGarbage()
                    }
                case "count":
                    call.lua.push(Double(memoryUsed) / 1024)
                    return .one
                default:
                    throw LuaUsageError(
                        "collectgarbage '\(option)' is not available to tests, only 'collect' and 'count' are"
                    )
                }
            }, name: "collectgarbage")
        lua.rawSet(-2, "collectgarbage")
        lua.pop()
    }
}
