import TestSupport
import Testing

@testable import resthost

struct TestFileSearchTests {
    @Test func `files are found below folders, in order, each once`() throws {
        let folder = TemporaryFolder()
        for name in [
            "b_test.lua", "a_test.lua", "test.lua", "a_test.lua.bak", "sub/c_test.lua", "sub/deep/d_test.lua",
            ".git/e_test.lua",
            "sub/.hidden_test.lua", "_test.lua", "x_test.lua/f_test.lua",
        ] { folder.write(name, "") }
        folder.link("circle", to: folder.path)
        folder.link("linked_test.lua", to: folder.path + "/a_test.lua")
        let found = try TestFileSearch.files(in: [
            folder.path + "/", folder.path + "/a_test.lua", folder.path + "/test.lua",
        ])
        #expect(
            found.map { $0.dropFirst(folder.path.count + 1) } == [
                "_test.lua", "a_test.lua", "b_test.lua", "linked_test.lua", "sub/c_test.lua",
                "sub/deep/d_test.lua",
                "x_test.lua/f_test.lua", "test.lua",
            ])
    }

    @Test func `what isn't there is reported`() {
        #expect(throws: TestFileSearch.SearchError.self) { try TestFileSearch.files(in: ["/nowhere"]) }
        #expect(throws: TestFileSearch.SearchError.self) { try TestFileSearch.files(in: ["/dev/null"]) }
    }
}
