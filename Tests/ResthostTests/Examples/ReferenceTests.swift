import TestSupport
import Testing

struct ReferenceTests {
    @Test func `the Lua reference is what the program says of itself`() async throws {
        let run = await BuiltProgram.run("reference")
        #expect(run.code == 0)
        let file = "docs/reference/lua-api.md"
        let isCurrent = try TextFile.read(file) == run.output
        #expect(isCurrent, "write it again: resthost reference > \(file)")
    }

    @Test func `so are the definitions for editors`() async throws {
        let folder = TemporaryFolder()
        let run = await BuiltProgram.run("types", "types", in: folder.path)
        #expect(run.code == 0)
        #expect(run.output == "types/resthost.lua\ntypes/resthost/test.lua\n")
        for file in ["resthost.lua", "resthost/test.lua"] {
            let isCurrent =
                try TextFile.read("editor/\(file)") == TextFile.read("\(folder.path)/types/\(file)")
            #expect(isCurrent, "write it again: resthost types editor")
        }
        _ = await ChildProcess(["/bin/rm", "-rf", folder.path + "/types"], in: folder.path).end()
        let printed = await BuiltProgram.run("types")
        let isSame = try TextFile.read("editor/resthost.lua") == printed.output
        #expect(isSame)
    }
}
