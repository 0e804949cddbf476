import ArgumentParser
import Platform
import TestSupport
import Testing

@testable import resthost

/// Pages for man(1), and the page of the book that has the same texts.
struct ManualCommandTests {
    private static let commands = Resthost.configuration.subcommands.filter { $0.configuration.shouldDisplay }

    private static let names = commands.compactMap { $0.configuration.commandName }

    /// The options that the help of a command has, by their names.
    private static func options(of command: any ParsableCommand.Type) -> [String] {
        let lines = Resthost.helpMessage(for: command, columns: 400).split(separator: "\n")
        return lines.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("-") }.flatMap { line in
            // The names stand before the first wide gap: `-X, --method <method>  Text`.
            let names = line.split(separator: "  ").first ?? line
            return names.split { ", /".contains($0) }.filter { $0.hasPrefix("-") }.map(String.init)
        }
    }

    @Test func `each command has a page, with every section`() throws {
        let pages = ManualPage.all()
        #expect(pages.map(\.name) == ["resthost"] + Self.names.map { "resthost-\($0)" })
        for page in pages {
            for section in [
                "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO",
            ] {
                let parts = page.text.split(separator: ".SH \(section)\n", omittingEmptySubsequences: false)
                try #require(parts.count == 2, "\(page.name) has no \(section), or two")
                let content = parts[1].split(separator: "\n", maxSplits: 1)[0]
                #expect(!content.hasPrefix(".SH"), "\(page.name) has an empty \(section)")
            }
        }
    }

    @Test func `each command has facts, and refers to commands that exist`() throws {
        for name in ["resthost"] + Self.names {
            let facts = try #require(CommandFacts.of(name), "\(name)")
            #expect(facts.exits.first?.code == 0, "\(name)")
            #expect(facts.exits.map(\.code) == facts.exits.map(\.code).sorted(), "\(name)")
            for related in facts.related where !related.hasSuffix(")") {
                #expect(Self.names.contains(related) && related != name, "\(name): \(related)")
            }
        }
    }

    @Test func `each option of the help is in the page of its command`() throws {
        for command in Self.commands {
            let name = try #require(command.configuration.commandName)
            let page = try #require(ManualPage.all().first { $0.name == "resthost-\(name)" })
            for option in Self.options(of: command) {
                #expect(page.text.contains(Roff.bold(option)), "\(name) has \(option)")
            }
        }
    }

    @Test func `no line of a text is a request of roff`() {
        let requests = [".TH ", ".SH ", ".PP", ".TP", ".RS 4", ".RE", ".nf", ".fi", ".nh", ".ad l"]
        for page in ManualPage.all() {
            for line in page.text.split(separator: "\n") {
                #expect(!line.hasPrefix("'"), "\(page.name): \(line)")
                guard line.hasPrefix(".") else { continue }
                let isKnown = requests.contains { $0.hasSuffix(" ") ? line.hasPrefix($0) : line == $0 }
                #expect(isKnown, "\(page.name): \(line)")
            }
            #expect(page.text.unicodeScalars.allSatisfy { $0.isASCII }, "\(page.name)")
        }
    }

    @Test func `text stays text, whatever signs it has`() {
        var roff = Roff(title: "a-b", source: "x \"1\"")
        roff.paragraph(".SH of 'it' and `--a-b`")
        roff.literal(["'quoted'", ".hidden", "", "a\\n^~`é😀"])
        roff.item(".tag", "'text'")
        #expect(
            roff.text == #"""
                .TH A\-B 1 "" "x \(dq1\(dq" "resthost manual"
                .nh
                .ad l
                .PP
                \&.SH of \(aqit\(aq and \fB\-\-a\-b\fR
                .PP
                .RS 4
                .nf
                \(aqquoted\(aq
                \&.hidden

                a\(rsn\(ha\(ti\(ga\[u00E9]\[u1F600]
                .fi
                .RE
                .TP
                \&.tag
                \(aqtext\(aq

                """#)
    }

    @Test func `discussions come apart into paragraphs and examples`() {
        let text = CommandText("First.\nStill.\n\nExamples:\n  a b\n    c\n\nExit codes: 0 done.\n\nLast.")
        #expect(text.paragraphs == ["First. Still.", "Last."])
        #expect(text.examples == ["a b", "  c"])
        #expect(CommandText("").paragraphs.isEmpty)
    }

    @Test func `the program writes them, and groff has nothing to complain of`() async throws {
        let folder = TemporaryFolder()
        let run = await BuiltProgram.run("manual", "man/man1", in: folder.path)
        #expect(run.code == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
        let files = folder.names(in: "man/man1")
        #expect(files == (["resthost"] + Self.names.map { "resthost-\($0)" }).map { $0 + ".1" }.sorted())
        for (tool, arguments) in [
            ("/usr/bin/groff", ["-man", "-Tutf8", "-ww", "-z"]),
            ("/usr/bin/mandoc", ["-T", "lint", "-W", "error"]),
        ] where access(tool, X_OK) == 0 {
            for file in files {
                let path = "\(folder.path)/man/man1/\(file)"
                let lint = await ChildProcess([tool] + arguments + [path], in: folder.path).end()
                #expect(lint.code == 0 && lint.errors.isEmpty, "\(file): \(lint.output)\(lint.errors)")
            }
        }
        let refused = await BuiltProgram.run("manual", "", in: folder.path)
        #expect(refused.code == 2)
    }

    @Test func `the page of the book is what the program says of itself`() throws {
        let page = CommandLinePage.markdown()
        let file = "docs/reference/command-line.md"
        let isCurrent = try TextFile.read(file) == page
        #expect(isCurrent, "write it again: resthost reference command-line > \(file)")
        for command in Self.commands {
            let name = try #require(command.configuration.commandName)
            #expect(page.contains("\n## resthost \(name)\n"), "\(name)")
            for option in Self.options(of: command) {
                #expect(page.contains(option), "\(name) has \(option)")
            }
        }
    }
}
