import Testing

/// README.md and each page that goes through the quick start.
struct ReadmeTests {
    private static let tours = (["README.md"] + DocumentPages.below("docs")).filter { page in
        let text = (try? TextFile.read(page)) ?? ""
        return Transcript(text).steps.contains { $0.command.contains("examples/quickstart/") }
    }

    @Test func `there is a tour`() throws {
        let steps = try Self.tours.flatMap { Transcript(try TextFile.read($0)).steps }
        #expect(steps.count > 8)
    }

    @Test(arguments: tours) func `the commands of a tour print what it shows`(page: String) async throws {
        let transcript = Transcript(try TextFile.read(page))
        let printed = await TranscriptSession(transcript).run()
        try #require(printed.count == transcript.steps.count)
        for (step, lines) in zip(transcript.steps, printed) {
            #expect(
                lines.compactMap(Self.comparable) == step.output.compactMap(Self.comparable),
                "\(page): \(step.command)")
        }
    }

    @Test(arguments: tours) func `the pieces of Lua that it shows are in the example`(page: String) throws {
        let scripts = try ["main.lua", "stars.lua"].map { try TextFile.read("examples/quickstart/" + $0) }
        for block in Transcript.blocks("lua", in: try TextFile.read(page)) {
            #expect(scripts.contains { $0.contains(block.text) }, "\(page): \(block.text)")
        }
    }

    /// Nil for a line that doesn't appear in every run.
    private static func comparable(_ line: String) -> String? {
        // A running host logs this at any time.
        if line.isEmpty || line.prefixMatch(of: #/\d{4}-\S+Z info  logged in/#) != nil { return nil }
        let name = line.prefix { $0 != ":" }
        switch name {
        case "Date", "Last-Modified": return String(name)
        // These values depend on the time.
        case "Age", "Cache-Control", "Cache-Status": return String(line.filter { !$0.isNumber })
        default: return line.replacing(#/ +$/#, with: "")
        }
    }
}
