import TestSupport
import Testing

struct InitCommandTests {
    @Test func `a new folder passes at once, without a network`() async {
        let folder = TemporaryFolder()
        let made = await BuiltProgram.run("init", "new/project", in: folder.path)
        #expect(made.code == 0)
        #expect(made.output.hasPrefix("Made 7 files in new/project:\n  main.lua          the script"))
        let project = folder.path + "/new/project"
        let check = await BuiltProgram.run("check", "main.lua", "--strict", in: project)
        #expect(check.code == 0)
        #expect(check.errors == "main.lua: no errors; 1 service, 3 blocks\n")
        let test = await BuiltProgram.run("test", in: project)
        #expect(test.code == 0)
        #expect(test.output.contains("3 passed"))
        let explain = await BuiltProgram.run("explain", "main.lua", "/users/octocat", in: project)
        #expect(explain.code == 0)
        let run = ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--listen", "127.0.0.1:0"], in: project)
        #expect(await run.hasWritten("listening on http://127.0.0.1:"))
        run.signal(2)
        #expect(await run.end().code == 0)
        _ = await ChildProcess(["/bin/rm", "-rf", folder.path + "/new"], in: folder.path).end()
    }

    /// An empty name would be the root folder once a file's name is put behind it.
    @Test(arguments: ["init", "types"]) func `a folder without a name is refused`(command: String) async {
        let folder = TemporaryFolder()
        let refused = await BuiltProgram.run(command, "", in: folder.path)
        #expect(refused.code == 2)
        #expect(
            refused.errors.hasPrefix("Error: the folder has no name; . is the current one\n"),
            "\(refused.errors)")
    }

    @Test func `what is there already is not touched, unless --force says so`() async {
        let folder = TemporaryFolder()
        folder.write("main.lua", "-- mine")
        let refused = await BuiltProgram.run("init", ".", in: folder.path)
        #expect(refused.code == 2)
        #expect(
            refused.errors == """
                resthost: '.' has these files already: main.lua
                  hint: choose another folder, or replace them with --force

                """)
        #expect(await BuiltProgram.run("check", "main.lua", in: folder.path).errors.contains("0 services"))
        #expect(await BuiltProgram.run("init", ".", "--force", in: folder.path).code == 0)
        #expect(await BuiltProgram.run("check", "main.lua", in: folder.path).errors.contains("1 service,"))
        folder.write("file", "")
        let blocked = await BuiltProgram.run("init", "file/x", in: folder.path)
        #expect(blocked.code == 2)
        #expect(blocked.errors.hasPrefix("resthost: cannot "))
        _ = await ChildProcess(["/bin/rm", "-rf", folder.path], in: "/tmp").end()
    }
}
