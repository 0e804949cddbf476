import TestSupport
import Testing

/// `examples/guide`: its tests pass without a network, and its tour runs against its fixtures.
struct GuideExampleTests {
    private let folder = BuiltProgram.repository + "/examples/guide"

    @Test func `the tests of every script pass`() async {
        let run = await BuiltProgram.run("test", in: folder)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test func `the tour uses every script against the fixtures`() async {
        let run = await ChildProcess(
            [folder + "/run"], in: "/", environment: ["RESTHOST": BuiltProgram.path]
        ).end()
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        let lines = run.output.split(separator: "\n")
        // The order of a Lua table's keys is arbitrary.
        let notes = "[{"
        for line in [
            #"global_header: {"secret":"2g3h4bkv234"}"#, #"knobs, a second later: {"up_to_date":false}"#,
            #"predicate: {"key":"k"}"#, "changing_token: \(notes)", "token_refresh: \(notes)",
            "token_refresh_by_hand: \(notes)", #"transformer_module: {"words":["#,
            "model_mapping: Good day, Ada Lovelace!",
        ] {
            #expect(lines.contains { $0.hasPrefix(line) }, "\(line) is missing in \(run.output)")
        }
        #expect(run.errors.ranges(of: " info  parsed 1 times").count == 1, "\(run.errors)")
        #expect(!run.errors.contains("parsed 2 times"))
    }
}
