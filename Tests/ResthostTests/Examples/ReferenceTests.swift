import Testing

struct ReferenceTests {
    @Test func `the Lua reference is what the program says of itself`() async throws {
        let run = await BuiltProgram.run("reference")
        #expect(run.code == 0)
        let file = "Sources/RestScript/RestScript.docc/LuaReference.md"
        let isCurrent = try TextFile.read(file) == run.output
        #expect(isCurrent, "write it again: resthost reference > \(file)")
    }
}
