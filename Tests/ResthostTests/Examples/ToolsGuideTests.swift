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
