import LuaRuntime
import RestEngine

/// What the main file of a script declares while it is run, what was wrong with that, and what begins when it
/// has come to its end.
@EngineActor
final class ScriptDeclarations {
    /// When what was declared while loading begins.
    enum Start {
        case now
        /// A test has the time until its first wait to stub what the jobs will ask for.
        case nextTick
        /// The script takes the place of another first; see ``begin()``.
        case later
        /// A check starts nothing.
        case never
    }

    var gateway: GatewayDeclaration?
    var diagnostics: [Diagnostic] = []
    /// Those of each line, as far as they were looked at.
    private var diagnosticsByLine: [String: [Int]] = [:]
    private var indexedDiagnostics = 0
    /// Requests that the main file defines by method and path; see docs/reference/limits.md, L126.
    private(set) var operations: [ScriptOperation] = []
    static let mostOperations = 2000
    /// Functions that configure definitions, for a check, which runs each.
    var configurationFunctions: [ConfigurationFunction] = []
    /// The main file is being run: declarations are made, nothing else.
    private var isLoading = true
    private var starts: ArraySlice<@EngineActor () -> Void> = []
    private let texts = DeclaredTexts()
    /// Has ``texts`` count.
    private var hold: LuaReference?
    private unowned let context: ScriptContext

    init(_ context: ScriptContext) { self.context = context }

    /// Runs a declaration. When diagnostics are collected, what is wrong with it is recorded and the script
    /// goes on.
    func declare(_ call: Arguments, _ body: () throws -> Void) throws {
        let isCollecting = context.options.collectsDiagnostics && isLoading
        do { try body() } catch let error as LuaUsageError where isCollecting {
            let place = call.lua.callerPlace
            diagnostics.append(
                Diagnostic(
                    .error, code: "declaration", error.message, file: place?.file, line: place?.line))
        } catch let error as LuaError
            where isCollecting && (error.kind == .syntax || error.kind == .runtime)
        {
            // A file of the script's that the declaration loads: a plugin, a transformer's module.
            diagnostics.append(ScriptFailures.diagnostic(of: error, in: context.state))
        }
    }

    /// Counts bytes that a declaration keeps, for as long as the script lives: services, blocks and routes
    /// stay, whatever the script lets go of.
    func keep(_ bytes: Int) {
        guard !context.isClosed else { return }
        texts.keptBytes += bytes
        guard hold == nil else { return context.state.measure(texts) }
        let lua = context.state.main
        context.values.push(texts, on: lua)
        hold = lua.reference(-1)
        lua.pop()
    }

    /// The first of those at a line of which something is true. There may be as many as there are lines.
    func firstDiagnostic(at file: String?, _ line: Int?, where isTrue: (Diagnostic) -> Bool) -> Int? {
        func key(_ file: String?, _ line: Int?) -> String { "\(file ?? ""):\(line ?? -1)" }
        for number in indexedDiagnostics..<diagnostics.count {
            diagnosticsByLine[key(diagnostics[number].file, diagnostics[number].line), default: []]
                .append(number)
        }
        indexedDiagnostics = diagnostics.count
        return diagnosticsByLine[key(file, line)]?.first { isTrue(diagnostics[$0]) }
    }

    /// A request is defined, with names for what varies in its path.
    func note(_ endpoint: EndpointDefinition, _ method: String, _ template: String, origin: String?) {
        guard isLoading, operations.count < Self.mostOperations,
            let base = endpoint.service.baseURL?.url.string
        else { return }
        let url = endpoint.url.string.prefix { $0 != "?" && $0 != "#" }
        let prefix = base.prefix { $0 != "?" && $0 != "#" }
        // One of another base is none of the gateway's.
        guard url.hasPrefix(prefix) || url + "/" == prefix else { return }
        let parts = [String(url.dropFirst(prefix.count)), template].flatMap { $0.split(separator: "/") }
        operations.append(
            ScriptOperation(
                service: endpoint.service.name, method: method, path: "/" + parts.joined(separator: "/"),
                origin: origin))
    }

    /// A definition has this function; see ``ScriptHost/check()``.
    func note(_ function: ConfigurationFunction) {
        // A check looks at what is defined once, while the main file runs.
        guard context.options.collectsDiagnostics, isLoading, configurationFunctions.count < 10_000 else {
            return
        }
        configurationFunctions.append(function)
    }

    /// Runs `start` now, or when the main file has come to its end.
    func whenLoaded(_ start: @escaping @EngineActor () -> Void) {
        if isLoading { starts.append(start) } else { start() }
    }

    /// Something of what was declared has not begun yet.
    var hasStarts: Bool { !starts.isEmpty }

    /// The main file has come to its end.
    func finish(starting start: Start) {
        isLoading = false
        switch start {
        case .now: begin()
        case .nextTick: context.engine.scheduler.nextTick { [context] in context.declarations.begin() }
        case .later: break
        case .never: forgetStarts()
        }
    }

    /// Begins what was declared while loading. It may be much, so it begins in parts, and others have their
    /// turn in between.
    func begin() {
        context.engine.scheduler.inParts { [context] in context.declarations.beginNext() }
    }

    /// False when there is no more.
    private func beginNext() -> Bool {
        starts.popFirst()?()
        return !starts.isEmpty
    }

    /// Forgets what would have begun.
    func forgetStarts() { starts = [] }

    /// The script has ended, and what it declared.
    func letGo() {
        forgetStarts()
        hold = nil
    }
}

/// The account of what a script's declarations keep in the host, as an object of its Lua state.
final class DeclaredTexts: LuaObject {
    var keptBytes = 0
}

/// A request that a script defines: what tells others that they can make it.
public struct ScriptOperation: Sendable, Equatable {
    /// The name of the service.
    public let service: String
    public let method: String
    /// Below the service's base; `{name}` stands for what varies.
    public let path: String
    /// `file:line`.
    public let origin: String?
}
