import ArgumentParser
import RestEngine
import RestScript

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Start a folder with a script, a test for it, and settings for editors.",
        discussion: """
            Makes the folder if need be. Files that are there already are left alone: nothing is written then, unless \
            --force says to replace them.

            Examples:
              resthost init weather
              cd weather && resthost test && resthost run main.lua
            """)

    @Argument(help: ArgumentHelp("The folder; . is the current one.", valueName: "folder"))
    var folder: String

    @Flag(help: "Replace files that are there.")
    var force = false

    func validate() throws {
        if folder.isEmpty { throw ValidationError("the folder has no name; . is the current one") }
    }

    func run() throws {
        let code = MainThread.wait { @EngineActor in make() }
        throw ExitCode(code)
    }

    @EngineActor
    private func make() -> Int32 {
        let files = StarterFiles.all
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
        Streams.output(report(files.map(\.path)))
        return 0
    }

    private func report(_ paths: [String]) -> String {
        let style = Style.standardOutput
        let width = Self.purposes.map(\.0.count).max() ?? 0
        let rows = Self.purposes.map { path, purpose in
            "  \(path)\(String(repeating: " ", count: width - path.count))  \(style.dim(purpose))\n"
        }
        let enter = folder == "." ? "" : "  cd \(folder)\n"
        return "Made \(paths.count) files in \(folder):\n" + rows.joined()
            + "\nNext:\n\(enter)  resthost check main.lua\n  resthost test\n  resthost run main.lua\n"
    }

    private static let purposes = [
        ("main.lua", "the script: a service, two blocks, a transformer, a gateway"),
        ("main_test.lua", "what it promises"),
        (".luarc.json", "lets editors with LuaLS know what scripts see"),
        (".editorconfig", "two spaces"), (".gitignore", "caches, secrets, and what can be made again"),
        (".resthost/types/", "what scripts see; resthost types writes it again"),
    ]
}
