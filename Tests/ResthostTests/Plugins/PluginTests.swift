import Platform
import TestSupport
import Testing

/// The plugins' own tests, which are Lua, in the folder Tests/plugins.
struct PluginTests {
    static let files: [String] = {
        TemporaryFolder.names(at: "\(BuiltProgram.repository)/Tests/plugins").filter {
            $0.hasSuffix("_test.lua")
        }
        .sorted()
    }()

    @Test(arguments: files) func `the tests of a plugin pass`(file: String) async {
        let run = await ChildProcess(
            [BuiltProgram.path, "test", file], in: "\(BuiltProgram.repository)/Tests/plugins"
        ).end()
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test func `the tests of all recipes pass`() async {
        let run = await ChildProcess(
            [BuiltProgram.path, "test"], in: "\(BuiltProgram.repository)/examples/cookbook"
        ).end()
        #expect(run.code == 0 && run.output.contains(" passed"), "\(run.output)\(run.errors)")
    }

    @Test func `there are tests`() { #expect(Self.files.count > 20) }
}
