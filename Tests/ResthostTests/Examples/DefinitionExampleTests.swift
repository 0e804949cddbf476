import TestSupport
import Testing

/// `examples/lua-calls` prints its expected output.
struct DefinitionExampleTests {
    @Test func `the definitions of the example print what is expected`() async throws {
        let folder = BuiltProgram.repository + "/examples/lua-calls"
        let run = await ChildProcess(
            [folder + "/run"], in: "/", environment: ["RESTHOST": BuiltProgram.path]
        ).end()
        #expect(run.code == 0, "\(run.errors)")
        #expect(try run.output == TextFile.read("examples/lua-calls/expected.txt"), "\(run.errors)")
    }
}
