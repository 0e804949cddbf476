import TestSupport
import Testing

/// The model's rules as scripts see them, by their numbers: Tests/Specs, run by the program itself.
struct SpecTests {
    @Test func `every spec holds`() async {
        let run = await BuiltProgram.run("test", "Tests/Specs")
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }
}
