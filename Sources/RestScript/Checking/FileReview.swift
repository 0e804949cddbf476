import LuaRuntime
import RestEngine

/// Reads the text of the script and of every module that it names, transformer modules included. It does not
/// run them.
@EngineActor
struct FileReview {
    let context: ScriptContext
    /// The path of the main file. The other files are its modules.
    let path: String

    struct File {
        let path: String
        let source: [UInt8]
    }

    private(set) var findings: [Diagnostic] = []
    private var reads = GlobalReads()
    /// Modules that the main file names, each with the line.
    private(set) var required: [(name: String, line: Int)] = []

    init(_ context: ScriptContext, path: String, source: [UInt8]) {
        self.context = context
        self.path = path
        required = RequiredModules(source).found
        var seen: Set<String> = []
        var waiting = [File(path: path, source: source)]
        // A module that was not found is left out here: its declaration has reported it.
        waiting += context.modules.modules.compactMap { name in
            (try? context.sandbox.file(ofModule: name)).map { File(path: $0.path, source: $0.source) }
        }
        while let file = waiting.popLast() {
            guard seen.insert(file.path).inserted else { continue }
            review(file)
            for (name, line) in RequiredModules(file.source).found
            where !context.sandbox.isPreloaded(name) && !context.sandbox.isBundled(name) {
                do {
                    let found = try context.sandbox.file(ofModule: name)
                    waiting.append(File(path: found.path, source: found.source))
                } catch {
                    // Lua's own libraries have no files.
                    guard !context.sandbox.isLoaded(name) else { continue }
                    findings.append(Self.missing("\(error)", file.path, line))
                }
            }
        }
        // The names are not known (nil) when the script handles unassigned globals itself.
        if let known = context.sandbox.globalNames() { findings += reads.findings(known: known) }
    }

    /// This is only a warning, because the `require` may be in a function that is never called.
    private static func missing(_ message: String, _ file: String, _ line: Int) -> Diagnostic {
        Diagnostic(
            .warning, code: "missing_module", message, file: file, line: line,
            hint: "put it below the script's folder, name its folder with --lua-path, "
                + "or load it with pcall(require, …) if it may be missing")
    }

    private mutating func review(_ file: File) {
        do throws(LuaError) {
            let (assignments, read) = try context.sandbox.globalUses(in: file.source, chunk: file.path)
            reads.define(assignments.map(\.name))
            // Modules outside the script's folder may follow other habits, so they are not reviewed.
            guard file.path == path || file.path.hasPrefix(context.grants.folder + "/") else { return }
            reads.add(read, of: file)
            review(VariableReads(file.source), file)
            var seen: Set<String> = []
            for assignment in assignments
            where seen.insert("\(assignment.name) \(assignment.isInFunction)").inserted {
                findings.append(finding(assignment, file))
            }
        } catch {
            findings.append(ScriptFailures.diagnostic(of: error, in: context.state))
        }
    }

    /// Reports environment variables that the file needs and that are not set, and warns of all that it reads
    /// and that are not granted.
    private mutating func review(_ variables: VariableReads, _ file: File) {
        let needed = NeededVariables(file.source).found
        for (name, line) in variables.found {
            guard let refusal = context.grants.permissions.refusalOfVariable(name) else { continue }
            findings.append(
                Diagnostic(
                    needed.contains { $0.name == name } ? .error : .warning, code: "ungranted_variable",
                    EnvBinding.refusalText(name, refusal), file: file.path, line: line))
        }
        for (name, line) in needed where context.grants.permissions.refusalOfVariable(name) == nil {
            if let finding = context.finding(onVariable: name, file: file.path, line: line) {
                findings.append(finding)
            }
        }
    }

    private func finding(_ assignment: GlobalAssignment, _ file: File) -> Diagnostic {
        let name = assignment.name
        let lines = file.source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let line = lines.indices.contains(assignment.line - 1) ? lines[assignment.line - 1] : []
        let isFunction = line.drop { $0 == 0x20 || $0 == 0x09 }.starts(with: Array("function \(name)".utf8))
        let local = isFunction ? "local function \(name)" : "local \(name)"
        return assignment.isInFunction
            ? Diagnostic(
                .warning, code: "accidental_global",
                "'\(name)' is no local: once the script is loaded, assigning it raises an error",
                file: file.path, line: assignment.line,
                hint: "write '\(local)' here, or at the top of the file for all functions to share")
            : Diagnostic(
                .warning, code: "accidental_global",
                "'\(name)' becomes a global, which all files see and nothing can change once the script is loaded",
                file: file.path, line: assignment.line, hint: "write '\(local)'")
    }
}
