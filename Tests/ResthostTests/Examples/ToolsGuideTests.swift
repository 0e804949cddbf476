import TestSupport
import Testing

/// Pages whose console blocks show the tools' real output for the scripts above them.
struct ToolsGuideTests {
    private static let pages = DocumentPages.below("docs").filter { page in
        let steps = Transcript((try? TextFile.read(page)) ?? "").steps
        return page != TestingGuideTests.guide && !steps.isEmpty
            && !steps.contains { $0.command.contains("examples/quickstart/") }
    }

    @Test func `the guide to tools is among them`() {
        #expect(Self.pages.contains("docs/guides/tools.md"))
    }

    @Test(arguments: pages) func `a page shows what the tools print`(page: String) async throws {
        let folder = TemporaryFolder()
        for block in Transcript.blocks(in: try TextFile.read(page)) {
            if block.language == "lua", block.isScript || block.fileName != nil {
                folder.write(block.fileName ?? "main.lua", block.text)
            }
            for step in Transcript([block]).steps {
                let command = "PATH='\(BuiltProgram.folder)':$PATH; { \(step.command); } 2>&1"
                let run = await ChildProcess(["/bin/sh", "-c", command], in: folder.path).end()
                let shown = step.output.joined(separator: "\n") + "\n"
                #expect(timeless(run.output) == timeless(shown), "\(page): \(step.command)")
            }
        }
    }
}

/// The scripts of the guide to tests pass their tests.
struct TestingGuideTests {
    static let guide = "docs/guides/testing.md"

    @Test func `the tests of the guide pass, and print what it shows`() async throws {
        let text = try TextFile.read(Self.guide)
        let blocks = Transcript.blocks("lua", in: text)
        let folder = TemporaryFolder()
        folder.write("github.lua", try #require(blocks.first { $0.isScript }).text)
        folder.write("github_test.lua", try #require(blocks.first { $0.isTest }).text)
        let step = try #require(Transcript(text).steps.first)
        #expect(step.command == "resthost test")
        let run = await BuiltProgram.run("test", in: folder.path)
        #expect(run.code == 0, "\(run.output)")
        let shown = step.output.joined(separator: "\n")
        #expect(timeless(run.output).hasPrefix(timeless(shown)) && !shown.isEmpty)
    }

    @Test func `the quick start's tests pass`() async {
        let run = await BuiltProgram.run("test", "examples/quickstart")
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }
}

private func timeless(_ text: String) -> String { text.replacing(/in [0-9.]+ s/, with: "in TIME") }
