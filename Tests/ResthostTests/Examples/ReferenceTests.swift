import TestSupport
import Testing

@testable import resthost

struct ReferenceTests {
    @Test(arguments: ReferencePageName.allCases)
    func `a page of the reference is what the program says of itself`(page: ReferencePageName) async throws {
        let run = await BuiltProgram.run("reference", page.rawValue)
        #expect(run.code == 0)
        let file = "docs/reference/\(page.rawValue).md"
        let isCurrent = try TextFile.read(file) == run.output
        #expect(isCurrent, "write it again: resthost reference \(page.rawValue) > \(file)")
    }

    @Test func `without a name it is the Lua reference`() async {
        let run = await BuiltProgram.run("reference")
        #expect(run.output.hasPrefix("# Lua reference\n"))
        let help = await BuiltProgram.run("reference", "--help").output
        for page in ReferencePageName.allCases { #expect(help.contains(page.rawValue), "\(help)") }
        #expect(await BuiltProgram.run("reference", "lua").code == 2)
    }

    @Test func `so are the definitions for editors`() async throws {
        let folder = TemporaryFolder()
        let run = await BuiltProgram.run("types", "types", in: folder.path)
        #expect(run.code == 0)
        let files = run.output.split(separator: "\n").map { String($0.dropFirst("types/".count)) }
        #expect(files.starts(with: ["resthost.lua", "resthost/test.lua", "resthost/api_key.lua"]))
        for file in files {
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
