import TestSupport
import Testing

@testable import RestFixtures

struct FixtureFolderTests {
    private let temporary = TemporaryFolder()

    @Test func `files are read and names listed, hidden ones left out`() throws {
        temporary.write("b.txt", "content")
        temporary.write("a.json", "")
        temporary.write(".hidden", "")
        temporary.makeFolder("sub")
        temporary.write("sub/large", String(repeating: "x", count: 100_000))
        let folder = try FixtureFolder(temporary.path)
        #expect(folder.read(["b.txt"])?.bytes == Array("content".utf8))
        #expect(folder.read(["a.json"])?.bytes == [])
        #expect(folder.read(["sub", "large"])?.bytes.count == 100_000)
        #expect(folder.names(in: []) == ["a.json", "b.txt", "sub"])
        #expect(folder.names(in: ["sub"]) == ["large"])
        #expect(folder.names(in: ["b.txt"]) == nil)
        #expect(folder.read(["sub"]) == nil)
        #expect(folder.read([]) == nil)
    }

    @Test func `links are not followed and a pipe does not block`() throws {
        let outside = TemporaryFolder()
        outside.write("secret.json", "secret")
        temporary.link("file.json", to: outside.path + "/secret.json")
        temporary.link("folder", to: outside.path)
        temporary.link("up", to: "..")
        temporary.makePipe("pipe.json")
        let folder = try FixtureFolder(temporary.path)
        #expect(folder.read(["file.json"]) == nil)
        #expect(folder.read(["folder", "secret.json"]) == nil)
        #expect(folder.names(in: ["folder"]) == nil)
        #expect(folder.names(in: ["up"]) == nil)
        #expect(folder.read(["pipe.json"]) == nil)
        #expect(outside.path.isEmpty == false)
    }

    @Test func `the list of protected paths may be missing, but not unreadable`() throws {
        let folder = try FixtureFolder(temporary.path)
        #expect(try folder.protectedPaths() == "")
        temporary.link(".protected", to: "nowhere")
        #expect(throws: FixtureServerError.self) { try folder.protectedPaths() }
    }

    @Test func `what is no folder is refused with a reason`() {
        temporary.write("file", "")
        for path in [temporary.path + "/file", temporary.path + "/nope"] {
            #expect(throws: FixtureServerError.self) { try FixtureFolder(path) }
        }
    }
}
