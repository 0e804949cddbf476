import Platform
import TestSupport
import Testing

struct ReplCommandTests {
    private let folder = ScriptFolder(
        """
        local api = rest.service { name = "api", base_url = "https://api.test" }
        api:configure("/users/*", { description = "users" }, function(c) c.expiration_time = 300 end)
        """)

    /// Runs the repl with this input.
    private func type(_ input: String, in folder: ScriptFolder) async -> ChildProcess.Outcome {
        folder.write(input, to: "input")
        return await ChildProcess(
            ["/bin/sh", "-c", "exec '\(BuiltProgram.path)' repl main.lua <input"], in: folder.path
        ).end()
    }

    @Test func `a pipe: lines in, values out, errors aside, no prompt`() async {
        let run = await type(
            "1 + 1\nx = 5\nfor i = 1, 2 do\nprint(i * x)\nend\nnobody.x\nrest.sleep(0.01)\nx\n", in: folder)
        #expect(run.code == 0)
        #expect(run.output == "2\n5\n10\n5\n")
        #expect(run.errors == "repl:1: error: attempt to index a nil value (global 'nobody')\n")
    }

    @Test func `the commands`() async {
        let run = await type(
            """
            :services
            u = api:resource("/users/1"):with_param("token", "s3cret")
            :resources
            :explain /users/1
            :explain api /users/1 POST
            :rlod
            :explain
            :help
            :quit
            print("never")
            """, in: folder)
        #expect(run.code == 0)
        #expect(
            run.output.hasPrefix(
                "  api  https://api.test/\n  https://api.test/users/1            no data\n"
                    + "  https://api.test/users/1?token=***  no data\nGET https://api.test/users/1\n"
            ))
        #expect(run.output.contains("  expiration_time  30 → 300\n"))
        #expect(run.output.contains("\nPOST https://api.test/users/1\n"))
        #expect(run.output.contains(":reload  "))
        #expect(!run.output.contains("never"))
        #expect(
            run.errors
                == "there is no :rlod; see :help\nGive a path, or a service and a path: got 0 arguments\n")
    }

    @Test func `reload loads the file as it is now, or keeps what there was`() async {
        let folder = ScriptFolder("shared = 1")
        let run = await ChildProcess(
            [
                "/bin/sh", "-c",
                """
                : >shown; seen() { until grep -q "$1" shown; do sleep 0.01; done; }
                (echo shared; seen '^1$'; echo 'shared = 2' >main.lua; echo ':reload'; echo shared; seen '^2$'
                echo 'x = = 1' >main.lua; echo ':reload'; echo shared) | '\(BuiltProgram.path)' repl main.lua | tee shown
                rm shown
                """,
            ], in: folder.path
        ).end()
        #expect(run.output == "1\nloaded main.lua again; variables begin anew\n2\n2\n")
        #expect(run.errors.hasPrefix("main.lua:1: error: unexpected symbol near '='\n"))
        #expect(run.errors.hasSuffix("the script is as it was\n"))
    }

    @Test func `a script that can't be loaded, and input that ends too early`() async {
        let broken = ScriptFolder("local x = = 1")
        let run = await type("1\n", in: broken)
        #expect(run.code == 2)
        #expect(run.errors.hasPrefix("main.lua:2: error: "))
        let early = await type("for i = 1, 2 do\n", in: folder)
        #expect(early.code == 0)
        #expect(early.errors == "repl: error: the input ends in the middle of a statement\n")
    }

    @Test(
        .enabled(
            if: access("/usr/bin/script", X_OK) == 0
                && access("/usr/lib/x86_64-linux-gnu/libedit.so.2", F_OK) == 0))
    func `a terminal: prompt, completion, Ctrl-C, history`() async throws {
        let state = folder.path + "/state"
        let run = await ChildProcess(
            [
                "/bin/sh", "-c",
                #"""
                : >shown; seen() { until grep -qF "$1" shown; do sleep 0.01; done; }
                (seen '> '; printf 'print("a".."b")\n'; seen ab; printf 'print("be".."gun") rest.sleep(60)\n'; seen begun
                printf '\003'; seen cancelled; printf 'ap\t.ba\t\n'; seen '"https://api.test/"'; printf 'half'; seen half
                printf '\003'; until [ "$(tail -c 2 shown)" = '> ' ]; do sleep 0.01; done
                prompts() { grep -o '> ' shown | wc -l; }; turn=0
                while [ $turn -lt 20 ]; do
                turn=$((turn + 1)); before=$(prompts); printf '\003'; until [ $(prompts) -gt $before ]; do sleep 0.01; done
                done
                printf ':quit\n'
                until [ -e over ]; do sleep 0.01; done) \
                | (script -qec "exec \#(BuiltProgram.path) repl main.lua" /dev/null >shown; echo $? >over)
                code=$(cat over); cat shown; rm shown over; exit $code
                """#,
            ], in: folder.path, environment: ["TERM": "xterm", "XDG_STATE_HOME": state]
        ).end()
        #expect(run.code == 0)
        #expect(run.output.contains("variables: rest, api"))
        #expect(run.output.contains("> ") && run.output.contains("ab\r\n"))
        #expect(run.output.contains("cancelled"))
        #expect(run.output.contains(#""https://api.test/""#))
        let history = try TextFile.read(state + "/resthost/history")
        #expect(history.contains("rest.sleep(60)") && !history.contains("half"))
        var status = stat()
        #expect(stat(state + "/resthost/history", &status) == 0 && status.st_mode & 0o777 == 0o600)
        _ = await ChildProcess(["/bin/rm", "-rf", state], in: folder.path).end()
    }

    @Test(
        .enabled(
            if: access("/usr/bin/script", X_OK) == 0
                && access("/usr/lib/x86_64-linux-gnu/libedit.so.2", F_OK) == 0))
    func `a log line comes above the prompt and what is typed behind it`() async throws {
        let state = folder.path + "/state"
        let run = await ChildProcess(
            [
                "/bin/sh", "-c",
                #"""
                : >shown; seen() { until grep -qF "$1" shown; do sleep 0.01; done; }
                ends() { until [ "$(tail -c ${#1} shown)" = "$1" ]; do sleep 0.01; done; }
                (seen '> '; printf 'rest.after(0.1, function() rest.log.info("ti".."ck") end)\n'; printf 'half'
                seen 'tick'; ends '> half'; printf '\003'; ends '> '; printf ':quit\n'
                until [ -e over ]; do sleep 0.01; done) \
                | (script -qec "exec \#(BuiltProgram.path) repl main.lua" /dev/null >shown; echo $? >over)
                code=$(cat over); cat shown; rm shown over; exit $code
                """#,
            ], in: folder.path, environment: ["TERM": "xterm", "XDG_STATE_HOME": state]
        ).end()
        #expect(run.code == 0)
        #expect(run.output.contains("\r\u{1B}[Kinfo  tick"), "\(run.output)")
        _ = await ChildProcess(["/bin/rm", "-rf", state], in: folder.path).end()
    }
}
