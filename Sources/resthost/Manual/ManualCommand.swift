import ArgumentParser
import RestEngine

/// Writes the pages for man(1). Packages and `make install` call it; users need not see it.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Write manual pages for man into a folder.",
        discussion: """
            Writes resthost.1, and a page such as resthost-get.1 for each command. Files that are there are replaced.

            Examples:
              resthost manual /usr/local/share/man/man1
              resthost manual . && man ./resthost-get.1
            """,
        shouldDisplay: false)

    @Argument(help: ArgumentHelp("Where to write the pages.", valueName: "folder"), completion: .directory)
    var folder: String

    func validate() throws {
        if folder.isEmpty { throw ValidationError("the folder has no name; . is the current one") }
    }

    func run() throws {
        do throws(FileError) {
            for page in ManualPage.all() { try NewFile.write(page.text, to: "\(folder)/\(page.name).1") }
        } catch {
            Streams.error(Complaint.text(error.description))
            throw ExitCode(2)
        }
    }
}
