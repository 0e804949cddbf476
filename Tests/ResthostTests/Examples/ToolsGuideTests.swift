import TestSupport
import Testing

/// The guide to tools: what it shows is what the program prints.
struct ToolsGuideTests {
    private static let guide = "Sources/RestScript/RestScript.docc/Tools.md"

    @Test func `the guide shows what the tools print`() async throws {
        let text = try TextFile.read(Self.guide)
        let scripts = Transcript.blocks("lua", in: text).map { $0.joined(separator: "\n") }
            .filter { $0.contains("require \"resthost\"") }
        let steps = Transcript(text).steps
        try #require(scripts.count == 2 && steps.count == 2)
        for (script, step) in zip(scripts, steps) {
            let folder = TemporaryFolder()
            folder.write("main.lua", script)
            let command = "PATH='\(BuiltProgram.folder)':$PATH; { \(step.command); } 2>&1"
            let run = await ChildProcess(["/bin/sh", "-c", command], in: folder.path).end()
            #expect(run.output == step.output.joined(separator: "\n") + "\n")
        }
    }
}

/// The guide to tests: its scripts are tested as it says.
struct TestingGuideTests {
    private static let guide = "Sources/RestScript/RestScript.docc/TestingScripts.md"

    @Test func `the tests of the guide pass, and print what it shows`() async throws {
        let text = try TextFile.read(Self.guide)
        let blocks = Transcript.blocks("lua", in: text).map { $0.joined(separator: "\n") }
        try #require(blocks.count == 4)
        let folder = TemporaryFolder()
        folder.write("github.lua", blocks[0])
        folder.write("github_test.lua", blocks[1])
        let step = try #require(Transcript(text).steps.first)
        #expect(step.command == "resthost test")
        let run = await BuiltProgram.run("test", in: folder.path)
        #expect(run.code == 0, "\(run.output)")
        func timeless(_ text: String) -> String { text.replacing(/in [0-9.]+ s/, with: "in TIME") }
        let shown = step.output.joined(separator: "\n")
        #expect(timeless(run.output).hasPrefix(timeless(shown)) && !shown.isEmpty)
        folder.write("header_test.lua", blocks[2])
        #expect(await BuiltProgram.run("test", "header_test.lua", in: folder.path).code == 0)
    }

    @Test func `the quick start's tests pass`() async {
        let run = await BuiltProgram.run("test", "examples/quickstart")
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }
}
