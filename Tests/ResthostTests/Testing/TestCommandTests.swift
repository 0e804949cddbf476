import Platform
import TestSupport
import Testing

struct TestCommandTests {
    private static let scripts = "\(BuiltProgram.repository)/Tests/TestScripts"

    private func run(_ arguments: String..., in folder: String = Self.scripts) async -> ChildProcess.Outcome {
        await ChildProcess([BuiltProgram.path, "test"] + arguments, in: folder).end()
    }

    /// The output without times, which differ in each run.
    private func timeless(_ output: String) -> String {
        output.replacing(#/ \(?[0-9]+\.[0-9]{3} s\)?/#, with: " TIME")
    }

    private static let codes: [(arguments: [String], code: Int32, said: String)] = [
        (["github_test.lua", "--allow-env", "TOKEN"], 0, "2 passed, 1 skipped"),
        (["failing_test.lua"], 1, "2 passed, 5 failed"), (["broken"], 1, "0 passed, 1 file not loaded"),
        (["github_test.lua", "failing_test.lua"], 1, "4 passed, 5 failed, 1 skipped"),
        (["."], 1, "4 passed, 5 failed, 1 file not loaded, 1 skipped"), ([], 1, "4 passed, 5 failed"),
        (["--filter", "users", "."], 1, "1 file not loaded"),
        (["--filter", "are mapped", "github_test.lua"], 0, "1 passed, 2 left out"),
        (["--filter", "users › are fresh", "github_test.lua"], 0, "1 passed, 2 left out"),
        (["--filter", "", "github_test.lua"], 0, "2 passed"),
        (
            ["--filter", "nothing has this name", "github_test.lua"], 2,
            "no test was run: no name of 3 contains 'nothing has this name'"
        ),
        (["--filter", "repositories", "github_test.lua"], 2, "no test was run: all are skipped"),
        (["lib"], 2, "no test was run: there is no *_test.lua in lib"),
        (["github.lua"], 2, "no test was run: the files declare none"),
        (["nowhere"], 2, "there is no 'nowhere'"),
        (["/dev/null"], 2, "'/dev/null' is neither a file nor a folder"),
        (["--format", "xml"], 2, "'xml' is invalid for '--format"),
        (["--coverag"], 2, "Unknown option '--coverag'"),
        (["--filter"], 2, "Missing value for '--filter"),
        (["--coverage-output", "/nowhere/x", "github_test.lua"], 2, "cannot write '/nowhere/x'"),
    ]

    @Test(arguments: codes)
    func `the exit code says what became of it`(run: (arguments: [String], code: Int32, said: String)) async {
        let outcome = await ChildProcess(
            [BuiltProgram.path, "test"] + run.arguments, in: Self.scripts, environment: ["TOKEN": "x"]
        ).end()
        #expect(outcome.code == run.code, "\(outcome.output)\(outcome.errors)")
        #expect((outcome.output + outcome.errors).contains(run.said), "\(outcome.output)\(outcome.errors)")
    }

    @Test func `results are listed by file, what went wrong is reported`() async {
        let run = await run("failing_test.lua")
        #expect(run.errors.isEmpty)
        let expected = """
            failing_test.lua
              ✓ passes
              ✗ differs
                failing_test.lua:8: error: the values differ at .tags[2]
                  expected: 3
                  actual:   2
                  7 |   print("before", "it differs")
                  8 |   t.equal({ name = "a", tags = { 1, 2 } }, { name = "a", tags = { 1, 3 } })
                    |   ^
                output:
                before\tit differs
              ✗ raises <an> & "error" \u{20}
            """
        #expect(timeless(run.output).hasPrefix(expected), "\(run.output)")
        #expect(!run.output.contains("nobody reads this"))
        #expect(
            run.output.contains(
                "    failing_test.lua:15: error: GET https://api.github.com/users/o has no stub\n"))
        #expect(run.output.contains("host 1: its clock stands at 1000000, 1 timer, the next due in 5 s"))
        #expect(run.output.contains("failing_test.lua:23: error: cannot load 'lib/nowhere.lua'"))
        #expect(run.output.contains("  ✓ still passes\n\n2 passed, 5 failed in "))
        #expect(run.output.contains(#"failing_test.lua:11: error: odd \u{1} & <tag> ]]> \u{1b}[31m"#))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func `a file that can't be loaded is reported with its line`() async {
        let run = await run("broken/syntax_test.lua")
        #expect(
            timeless(run.output) == """
                broken/syntax_test.lua
                  ✗ the file can't be loaded
                    broken/syntax_test.lua:4: error: ')' expected (to close '(' at line 3) near <eof>
                      3 | t.test("never", function() end
                      4 |
                        | ^

                0 passed, 1 file not loaded in TIME

                """)
    }

    @Test func `paths of scripts are relative to the test, wherever it is run`() async {
        let run = await run("Tests/TestScripts/github_test.lua", in: BuiltProgram.repository)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test func `scripts read what was granted`() async {
        let folder = TemporaryFolder()
        folder.write(
            "a_test.lua",
            """
            local t = require "resthost.test"
            t.test("it", function()
              local host = t.load { source = "value = require('found') name = require('resthost').env.NAME" }
              t.equal(host.rest.env.NAME, "granted")
              t.equal(require "found", "of the path")
              t.equal(os.getenv "OTHER", nil)
              t.raises(function() return host.rest.env.OTHER end, "grant it with %-%-allow%-env OTHER")
            end)
            """)
        let scripts = TemporaryFolder()
        scripts.write("found.lua", "return 'of the path'")
        let run = await ChildProcess(
            [BuiltProgram.path, "test", "--lua-path", scripts.path, "--allow-env", "NAME"], in: folder.path,
            environment: ["NAME": "granted", "OTHER": "secret"]
        ).end()
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test func `a cache of files is waited for`() async {
        let folder = TemporaryFolder()
        folder.write(
            "main.lua",
            """
            local rest = require "resthost"
            local api = rest.service { name = "api", base_url = "https://api.test" }
            api:configure(function(c) c.pipeline.parsing.cache = rest.cache.sqlite { path = "cache.db" } end)
            """)
        folder.write(
            "a_test.lua",
            """
            local t = require "resthost.test"
            t.test("writes", function()
              local host = t.load "main.lua"
              host:stub("GET", "/a", { json = { n = 1 } })
              t.equal(host.services.api:resource("a"):get(), { n = 1 })
              host:settle()
            end)
            t.test("reads", function()
              local host = t.load "main.lua"
              t.equal(t.assert(host.services.api:resource("a"):get()), { n = 1 })
            end)
            """)
        let run = await ChildProcess([BuiltProgram.path, "test"], in: folder.path).end()
        for name in ["cache.db", "cache.db-wal", "cache.db-shm"] { _ = unlink("\(folder.path)/\(name)") }
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test func `a loop without an end is one failure among others`() async {
        let folder = TemporaryFolder()
        folder.write(
            "a_test.lua",
            """
            local t = require "resthost.test"
            t.test("loops", function()
              while true do end
            end)
            t.test("fine", function() end)
            """)
        let run = await ChildProcess([BuiltProgram.path, "test", "--limit", "test=0.2"], in: folder.path)
            .end()
        #expect(run.code == 1)
        #expect(run.output.contains(/a_test\.lua:3: error: test used \d+ ms/))
        #expect(run.output.contains("1 passed, 1 failed"))
    }
}

/// The model's rules as scripts see them, by number: the program runs Tests/Specs.
struct SpecTests {
    @Test func `every spec holds`() async {
        let run = await BuiltProgram.run("test", "Tests/Specs")
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }
}
