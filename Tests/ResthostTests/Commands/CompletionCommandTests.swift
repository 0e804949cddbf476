import Platform
import TestSupport
import Testing

struct CompletionCommandTests {
    @Test(arguments: [("bash", "/bin/bash"), ("zsh", "/bin/zsh"), ("fish", "/usr/bin/fish")])
    func `each shell gets a script that it can read`(shell: String, program: String) async {
        let run = await BuiltProgram.run("completion", shell)
        #expect(run.code == 0 && run.errors.isEmpty)
        #expect(run.output.contains("install-service"))
        #expect(await BuiltProgram.run("--generate-completion-script", shell).output == run.output)
        guard access(program, X_OK) == 0 else { return }
        let folder = TemporaryFolder()
        folder.write("script", run.output)
        let check = await ChildProcess([program, "-n", "script"], in: folder.path).end()
        #expect(check.code == 0, "\(check.errors)")
    }

    @Test func `other shells are refused`() async {
        let run = await BuiltProgram.run("completion", "tcsh")
        #expect(run.code == 2 && run.output.isEmpty)
        #expect(run.errors.contains("'tcsh' is invalid for '<shell>'"), "\(run.errors)")
    }

    /// Lines after `resthost`, and some of what bash offers for their last word.
    private static let lines: [(words: [String], offered: [String])] = [
        ([""], ["run", "completion", "--help"]), (["run", ""], ["main.lua", "lib"]),
        (["run", "main.lua", "--log-f"], ["--log-format"]),
        (["run", "main.lua", "--log-format", ""], ["text", "json"]),
        (["run", "main.lua", "--log", "net"], ["network", "network_details"]),
        (["run", "main.lua", "--replay", ""], ["session.har", "lib"]),
        (["get", "main.lua", ""], ["api", "other"]),
        (["get", "main.lua", "o"], ["other"]),
        (["explain", "main.lua", "--method", "P"], ["POST", "PUT", "PATCH"]),
        (["init", "--template", ""], ["api", "gateway", "jobs", "aggregation"]), (["init", ""], ["lib"]),
        (["test", "--format", ""], ["pretty", "tap", "junit"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
    ]

    @Test(arguments: lines)
    func `bash offers commands, options, files, values and services`(
        line: (words: [String], offered: [String])
    )
        async
    {
        guard access("/bin/bash", X_OK) == 0 else { return }
        let folder = ScriptFolder(
            """
            rest.service { name = "api", base_url = "http://127.0.0.1:1" }
            rest.service { name = "other", base_url = "http://127.0.0.1:1" }
            """)
        folder.write("", to: "session.har")
        folder.write("", to: "notes.txt")
        folder.write("", to: "lib/a.lua")
        folder.write(await BuiltProgram.run("completion", "bash").output, to: "complete.bash")
        folder.write(
            """
            source ./complete.bash
            COMP_WORDS=("$@")
            COMP_CWORD=$(( $# - 1 ))
            COMP_LINE="$*"
            COMP_POINT=${#COMP_LINE}
            COMPREPLY=()
            _resthost resthost "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """, to: "try.bash")
        let run = await ChildProcess(
            ["/bin/bash", "try.bash", BuiltProgram.path] + line.words, in: folder.path
        ).end()
        #expect(run.errors.isEmpty, "\(run.errors)")
        let offered = run.output.split(separator: "\n").map(String.init)
        for word in line.offered { #expect(offered.contains(word), "\(word) in \(offered)") }
        #expect(!offered.contains("notes.txt"), "\(offered)")
        for word in offered { #expect(word.hasPrefix(line.words.last ?? ""), "\(word)") }
    }

    /// As the scripts ask: the argument, the number of the word, the cursor in it, and the words.
    private func offered(_ argument: String, _ words: [String], in folder: ScriptFolder, runtime: String = "")
        async -> ChildProcess.Outcome
    {
        let place = ["---completion", words[0], "--", argument, "\(words.count)", "0", "resthost"]
        return await ChildProcess(
            [BuiltProgram.path] + place + words, in: folder.path,
            environment: runtime.isEmpty ? [:] : ["XDG_RUNTIME_DIR": runtime]
        ).end()
    }

    @Test func `services of a script are offered once, and only by a script that can be read`() async {
        let folder = ScriptFolder(
            """
            local api = rest.service { name = "api", base_url = "http://127.0.0.1:1" }
            local store = rest.store.open "state.db"
            rest.spawn(function() print "a job" end)
            print("loaded", rest.env.TOKEN)
            """)
        for command in ["get", "explain"] {
            let run = await offered("positional@1", [command, "main.lua", ""], in: folder)
            #expect(run.output == "api\n" && run.errors.isEmpty, "\(run.output)\(run.errors)")
            let path = await offered("positional@1", [command, "main.lua", "/a"], in: folder)
            #expect(path.output == "\n" && path.errors.isEmpty, "\(path.output)\(path.errors)")
            let second = await offered("positional@1", [command, "main.lua", "api", ""], in: folder)
            #expect(second.output == "\n", "\(second.output)")
        }
        #expect(folder.names == ["main.lua"])
        folder.write("syntax error", to: "wrong.lua")
        folder.write("while true do end", to: "loop.lua")
        for script in ["wrong.lua", "loop.lua", "nowhere.lua"] {
            let run = await offered("positional@1", ["get", script, ""], in: folder)
            #expect(run.code == 0 && run.output == "\n" && run.errors.isEmpty, "\(script): \(run.errors)")
        }
    }

    @Test func `services and numbers of running hosts are offered`() async {
        let folder = ScriptFolder.service(at: "http://127.0.0.1:1", "rest.every(3600, function() end)")
        let runtime = RuntimeFolder()
        let none = await offered("positional@0", ["wipe", ""], in: folder, runtime: runtime.path)
        #expect(none.code == 0 && none.output == "\n" && none.errors.isEmpty)
        let child = ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--verbose"], in: folder.path,
            environment: ["XDG_RUNTIME_DIR": runtime.path])
        #expect(await child.hasReported("commands are taken at "))
        for command in ["wipe", "invalidate"] {
            let services = await offered("positional@0", [command, ""], in: folder, runtime: runtime.path)
            #expect(services.output == "api\n" && services.errors.isEmpty, "\(services.errors)")
        }
        let hosts = await offered("--pid", ["status", "--pid", ""], in: folder, runtime: runtime.path)
        #expect(hosts.output == "\(child.id)\n", "\(hosts.output)")
        child.signal(SIGTERM)
        _ = await child.end()
    }
}
