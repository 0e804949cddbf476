import Platform
import Testing

struct ReadmeTests {
    @Test func `the commands of the tour print what it shows`() async throws {
        let transcript = Transcript(try TextFile.read("README.md"))
        try #require(transcript.steps.count > 8)
        let printed = await TranscriptSession(transcript).run()
        try #require(printed.count == transcript.steps.count)
        for (step, lines) in zip(transcript.steps, printed) {
            #expect(
                lines.compactMap(Self.comparable) == step.output.compactMap(Self.comparable),
                "\(step.command)")
        }
    }

    @Test func `the pieces of Lua that it shows are in the example`() throws {
        let scripts = try ["main.lua", "stars.lua"].map { try TextFile.read("examples/quickstart/" + $0) }
        let blocks = Transcript.blocks("lua", in: try TextFile.read("README.md"))
        #expect(!blocks.isEmpty)
        for block in blocks {
            let text = block.joined(separator: "\n")
            #expect(scripts.contains { $0.contains(text) }, "\(text)")
        }
    }

    /// Nil for a line that is not there in every run.
    private static func comparable(_ line: String) -> String? {
        // A job of the script says this at a time of its own.
        if line.isEmpty || line.contains("logged in") { return nil }
        let name = line.prefix { $0 != ":" }
        switch name {
        case "Date", "Last-Modified": return String(name)
        // Seconds go by.
        case "Age", "Cache-Control", "Cache-Status": return String(line.filter { !$0.isNumber })
        default: return line.replacing(#/ +$/#, with: "")
        }
    }
}

struct LinkTests {
    @Test(arguments: [
        "README.md", "examples/quickstart/README.md", "examples/swift-client/README.md",
        "Sources/RestScript/RestScript.docc/LuaReference.md",
        "Sources/RestEngine/RestEngine.docc/UsingTheEngine.md",
        "Sources/RestClient/RestClient.docc/RestClient.md",
        "Sources/RestClient/RestClient.docc/CallingAnAPI.md",
        "Sources/RestClient/RestClient.docc/CallingWithTypes.md", "examples/swift-calls/README.md",
    ])
    func `links lead to files`(document: String) throws {
        let folder = document.split(separator: "/").dropLast().joined(separator: "/")
        for link in try TextFile.read(document).matches(of: /\]\(([^)#]+)\)/) where !link.1.contains("://") {
            let path = "\(BuiltProgram.repository)/\(folder)/\(link.1)"
            #expect(access(path, F_OK) == 0, "\(document) links to \(link.1)")
        }
    }
}
