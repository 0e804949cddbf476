import LuaRuntime
import Platform
import RestEngine

/// The declarations of a script's main file, the errors in them, and the work that begins when the main file
/// has ended.
@EngineActor
final class ScriptDeclarations {
    /// The time at which work that was declared during the load begins.
    enum Start {
        case now
        /// Until its first wait, a test can stub the requests of the jobs.
        case nextTick
        /// The script first has to replace another; see ``begin()``.
        case later
        /// A check starts no work.
        case never
    }

    var gateway: GatewayDeclaration?
    var diagnostics: [Diagnostic] = []
    /// The indexes of diagnostics by line, up to `indexedDiagnostics`.
    private var diagnosticsByLine: [String: [Int]] = [:]
    private var indexedDiagnostics = 0
    /// The modules that the main file has loaded.
    private(set) var loadedFiles: [String] = []
    /// Requests that the main file defines by method and path; see docs/reference/limits.md, L126.
    private(set) var operations: [ScriptOperation] = []
    static let mostOperations = 2000
    /// Configuring functions of definitions. A check runs each of them.
    var configurationFunctions: [ConfigurationFunction] = []
    /// True while the main file runs and only declares.
    private var isLoading = true
    private var starts: ArraySlice<@EngineActor () -> Void> = []
    private let texts = DeclaredTexts()
    /// Holds ``texts`` in the Lua state, so that they count.
    private var hold: LuaReference?
    private unowned let context: ScriptContext

    init(_ context: ScriptContext) { self.context = context }

    /// Runs a declaration. When diagnostics are collected, its error is recorded and the script goes on.
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
            // The error is in a file that the declaration loads, such as a plugin or a transformer module.
            diagnostics.append(ScriptFailures.diagnostic(of: error, in: context.state))
        }
    }

    /// Counts bytes that a declaration keeps until the script ends. Services, blocks and routes stay even
    /// when the script releases its objects.
    func keep(_ bytes: Int) {
        guard !context.isClosed else { return }
        texts.keptBytes += bytes
        guard hold == nil else { return context.state.measure(texts) }
        let lua = context.state.main
        context.values.push(texts, on: lua)
        hold = lua.reference(-1)
        lua.pop()
    }

    /// The index of the first diagnostic at a line for which `isTrue` holds. There may be one for each line.
    func firstDiagnostic(at file: String?, _ line: Int?, where isTrue: (Diagnostic) -> Bool) -> Int? {
        func key(_ file: String?, _ line: Int?) -> String { "\(file ?? ""):\(line ?? -1)" }
        for number in indexedDiagnostics..<diagnostics.count {
            diagnosticsByLine[key(diagnostics[number].file, diagnostics[number].line), default: []]
                .append(number)
        }
        indexedDiagnostics = diagnostics.count
        return diagnosticsByLine[key(file, line)]?.first { isTrue(diagnostics[$0]) }
    }

    /// Notes a file that the main file has loaded.
    func noteFile(_ path: String) {
        if isLoading { loadedFiles.append(path) }
    }

    /// Notes a request that the script defines, with names for the variable parts of its path.
    func note(_ endpoint: EndpointDefinition, _ method: String, _ template: String, origin: String?) {
        guard isLoading, operations.count < Self.mostOperations,
            let base = endpoint.service.baseURL?.url.string
        else { return }
        let url = endpoint.url.string.prefix { $0 != "?" && $0 != "#" }
        let prefix = base.prefix { $0 != "?" && $0 != "#" }
        // The gateway does not serve a request with another base.
        guard url.hasPrefix(prefix) || url + "/" == prefix else { return }
        let parts = [String(url.dropFirst(prefix.count)), template].flatMap { $0.split(separator: "/") }
        // A slash at the end makes another resource.
        let hasSlash = !parts.isEmpty && (template.isEmpty ? url.hasSuffix("/") : template.hasSuffix("/"))
        operations.append(
            ScriptOperation(
                service: endpoint.service.name, method: method,
                path: "/" + parts.joined(separator: "/") + (hasSlash ? "/" : ""), origin: origin))
    }

    /// Notes the function of a definition for ``ScriptHost/check()``.
    func note(_ function: ConfigurationFunction) {
        // A check runs the definitions that the main file makes, each once.
        guard context.options.collectsDiagnostics, isLoading, configurationFunctions.count < 10_000 else {
            return
        }
        configurationFunctions.append(function)
    }

    /// Runs `start` now, or after the main file has ended.
    func whenLoaded(_ start: @escaping @EngineActor () -> Void) {
        if isLoading { starts.append(start) } else { start() }
    }

    /// Jobs and timers that the main file starts run in the first worker alone, unless they are for each.
    func runsHere(eachWorker: Bool) -> Bool {
        eachWorker || !isLoading || context.options.worker?.isFirst ?? true
    }

    /// True when some of the declared work has not begun.
    var hasStarts: Bool { !starts.isEmpty }

    /// Called when the main file has ended.
    func finish(starting start: Start) {
        isLoading = false
        switch start {
        case .now: begin()
        case .nextTick: context.engine.scheduler.nextTick { [context] in context.declarations.begin() }
        case .later: break
        case .never: forgetStarts()
        }
    }

    /// Begins the declared work. There may be much of it, so it begins in parts, and the loop does other work
    /// in between.
    func begin() {
        context.engine.scheduler.inParts { [context] in context.declarations.beginNext() }
    }

    /// False when there is no more.
    private func beginNext() -> Bool {
        starts.popFirst()?()
        return !starts.isEmpty
    }

    /// Drops the work that has not begun.
    func forgetStarts() { starts = [] }

    /// Releases the declarations after the script's end.
    func letGo() {
        forgetStarts()
        hold = nil
    }
}

/// The bytes that a script's declarations keep in the host, as an object of its Lua state.
final class DeclaredTexts: LuaObject {
    var keptBytes = 0
}

/// A request that a script defines, for lists of possible requests.
public struct ScriptOperation: Sendable, Equatable {
    /// The name of the service.
    public let service: String
    public let method: String
    /// The path below the service's base; `{name}` stands for a variable part.
    public let path: String
    /// The place of the definition, `file:line`.
    public let origin: String?
}
