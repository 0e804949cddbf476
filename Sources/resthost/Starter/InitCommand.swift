import ArgumentParser
import RestEngine
import RestScript

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Start a folder with a script, a test for it, and settings for editors.",
        discussion: """
            Makes the folder if need be. Files that are there already are left alone: nothing is written then, unless \
            --force says to replace them. A README.md that is there always stays.

            The template api requests one API. The template gateway serves an API to clients, with credentials, limits \
            and retries. The template jobs does work by the clock, without a gateway. The template aggregation makes one \
            resource out of two APIs. Each has a test that passes at once, without a network.

            Examples:
              resthost init weather
              cd weather && resthost test && resthost run main.lua
              resthost init --template gateway front
            """)

    @Argument(
        help: ArgumentHelp("The folder; . is the current one.", valueName: "folder"), completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp("The template: api, gateway, jobs or aggregation.", valueName: "template"),
        completion: .list(StarterTemplate.all.map(\.name)))
    var template = StarterTemplate.api.name

    @Flag(help: "Replace files that are there.")
    var force = false

    func validate() throws {
        if folder.isEmpty { throw ValidationError("the folder has no name; . is the current one") }
        if StarterTemplate.named(template) == nil {
            throw ValidationError(StarterTemplate.unknown(template))
        }
    }

    func run() throws {
        let code = MainThread.wait { @EngineActor in make() }
        throw ExitCode(code)
    }

    @EngineActor
    private func make() -> Int32 {
        // Nearly every repository has a README already, which is about more than this script.
        let files = StarterFiles.all(of: StarterTemplate.named(template) ?? .api)
            .filter { $0.path != "README.md" || !NewFile.exists("\(folder)/README.md") }
        let taken = files.map(\.path).filter { NewFile.exists("\(folder)/\($0)") }
        guard taken.isEmpty || force else {
            Streams.error(
                "resthost: '\(folder)' has these files already: \(taken.joined(separator: ", "))\n"
                    + "  hint: choose another folder, or replace them with --force\n")
            return 2
        }
        do throws(FileError) {
            for file in files { try NewFile.write(file.text, to: "\(folder)/\(file.path)") }
        } catch {
            Streams.error(Complaint.text(error.description))
            return 2
        }
        Streams.output(report(files))
        return 0
    }

    @EngineActor
    private func report(_ files: [StarterFile]) -> String {
        let style = Style.standardOutput
        // The definitions for editors are one row, with the name of their folder.
        let types = StarterFiles.types
        var rows = files.filter { !$0.path.hasPrefix(types) }.map { ($0.path, $0.purpose) }
        if let first = files.first(where: { $0.path.hasPrefix(types) }) {
            rows.append((types, first.purpose))
        }
        let width = rows.map(\.0.count).max() ?? 0
        let list = rows.map { path, purpose in
            "  \(path)\(String(repeating: " ", count: width - path.count))  \(style.dim(purpose))\n"
        }
        let enter = folder == "." ? "" : "  cd \(folder)\n"
        return "Made \(rows.count - 1) files, and \(types), in \(folder):\n" + list.joined()
            + "\nNext:\n\(enter)  resthost check main.lua\n  resthost test\n  resthost run main.lua\n"
    }
}
