import ArgumentParser
import Platform
import RestEngine
import RestScript

/// Writes a script for an API that a document describes.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract:
            "Make a script of an OpenAPI document, a curl command, a recording or a Postman collection.",
        discussion: """
            NAME_generated.lua is written each time. NAME.lua, which requires it and is yours to edit, is written once. \
            OpenAPI documents are JSON or YAML, version 3.0 or 3.1; Swagger 2 is converted. A dash reads standard input.

            Examples:
              resthost import openapi petstore.yaml
              resthost import openapi petstore.yaml --output api/petstore --swift
              resthost import curl "curl -H 'Accept: application/json' https://api.example.com/users/1"
              pbpaste | resthost import curl -
              resthost import har session.har --output shop
              resthost import postman collection.json
            """)

    @Argument(help: ArgumentHelp("The kind of document: openapi, curl, har or postman.", valueName: "kind"))
    var kind: DocumentImport.Kind

    @Argument(
        help: ArgumentHelp("The document; for curl also the command itself.", valueName: "file"),
        completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The files' path without _generated.lua; default: the document's name.", valueName: "name"))
    var output: String?

    @Option(help: ArgumentHelp("The name of the service; default: the title's.", valueName: "name"))
    var service: String?

    @Option(help: ArgumentHelp("The URL of the API, in place of the document's.", valueName: "url"))
    var baseURL: String?

    @Flag(help: "Write Endpoints and models for the Swift library RestClient, too (openapi only).")
    var swift = false

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func validate() throws {
        if swift, kind != .openapi { throw ValidationError("--swift is for openapi only") }
        if output?.isEmpty == true { throw ValidationError("--output needs a name") }
    }

    func run() throws {
        let code = MainThread.wait { @EngineActor in work() }
        throw ExitCode(code)
    }

    @EngineActor
    private func work() -> Int32 {
        do {
            let text = try document()
            let name = output ?? Self.name(of: file, kind)
            var options = [(name: "output", value: name.split(separator: "/").last.map(String.init) ?? name)]
            if let service { options.append(("service", service)) }
            if let baseURL { options.append(("base_url", baseURL)) }
            let result = try DocumentImport(kind, text, options: options, makesSwift: swift)
            let folder = name.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .map { $0 + "/" }.joined()
            var written: [(path: String, isKept: Bool)] = []
            for file in result.files {
                let path = folder + file.path
                let isKept = file.isOnce && NewFile.exists(path)
                if !isKept { try NewFile.write(file.text, to: path) }
                written.append((path, isKept))
            }
            report(result, written)
            return 0
        } catch let fault as DocumentImport.Fault {
            Streams.error(Complaint.text("\(source): \(fault.message)"))
        } catch let fault as FileError {
            Streams.error(Complaint.text(fault.description))
        } catch { Streams.error(Complaint.text("\(source): \(error)")) }
        return 2
    }

    private var source: String { isCommandLine ? "the command" : file == "-" ? "standard input" : file }

    private var isCommandLine: Bool { kind == .curl && file.hasPrefix("curl ") }

    private func document() throws(FileError) -> [UInt8] {
        if isCommandLine { return Array(file.utf8) }
        if file == "-" { return try WholeFile.readStandardInput(limit: DocumentImport.maxBytes) }
        return try WholeFile.read(file, limit: DocumentImport.maxBytes)
    }

    /// The file's name without its folder and extension.
    static func name(of file: String, _ kind: DocumentImport.Kind) -> String {
        guard file != "-", kind != .curl || !file.hasPrefix("curl ") else { return "api" }
        let last = file.split(separator: "/").last.map(String.init) ?? file
        let name = last.lastIndex(of: ".").map { String(last[..<$0]) } ?? last
        return name.isEmpty ? "api" : name
    }

    @EngineActor
    private func report(_ result: DocumentImport, _ written: [(path: String, isKept: Bool)]) {
        if json {
            let files = written.map {
                Tree(pairs: [("path", Tree($0.path)), ("written", Tree(!$0.isKept))] as [(String, Tree)])
            }
            let pairs: [(String, Tree)] = [
                ("files", Tree(files)), ("warnings", Tree(result.warnings.map { Tree($0) })),
                ("variables", Tree(result.variables.map { Tree($0) })), ("summary", Tree(result.summary)),
            ]
            Streams.output(Tree(pairs: pairs).description + "\n")
            return
        }
        for warning in result.warnings.prefix(Self.shownWarnings) {
            Streams.error("warning: \(VisibleText.inline(warning))\n")
        }
        let rest = result.warnings.count - Self.shownWarnings
        if rest > 0 { Streams.error("\(rest) more warnings: --json has them all\n") }
        Streams.output(VisibleText.inline(result.summary) + "\n")
        for file in written {
            Streams.output(
                file.isKept ? "  kept   \(file.path), which is yours\n" : "  wrote  \(file.path)\n")
        }
        guard !result.variables.isEmpty,
            written.contains(where: { $0.isKept && $0.path.hasSuffix("resthost.toml") })
        else { return }
        let names = result.variables.map { "\"\($0)\"" }.joined(separator: ", ")
        Streams.output(
            "Permit the variables in resthost.toml, which is yours: [permissions] env = [\(names)]\n")
    }

    private static let shownWarnings = 20
}

extension DocumentImport.Kind: ExpressibleByArgument {}
