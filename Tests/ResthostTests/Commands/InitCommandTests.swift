import TestSupport
import Testing

struct InitCommandTests {
    @Test func `a new folder passes at once, without a network`() async {
        let folder = TemporaryFolder()
        let made = await BuiltProgram.run("init", "new/project", in: folder.path)
        #expect(made.code == 0)
        #expect(
            made.output.hasPrefix(
                "Made 6 files, and .resthost/types/, in new/project:\n  main.lua          the script"))
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

    @Test(arguments: ["api", "gateway", "jobs", "aggregation"])
    func `a project of each template passes at once`(template: String) async throws {
        let folder = TemporaryFolder()
        let made = await BuiltProgram.run("init", "--template", template, "new", in: folder.path)
        #expect(made.code == 0, "\(made.errors)")
        let project = folder.path + "/new"
        let check = await BuiltProgram.run("check", "main.lua", "--strict", in: project)
        #expect(check.code == 0, "\(check.errors)")
        let test = await BuiltProgram.run("test", in: project)
        #expect(test.code == 0, "\(test.output)")
        #expect(test.output.contains(#/[3-9] passed in/#), "\(test.output)")
        let names = folder.names(in: "new")
        let expected = [
            ".editorconfig", ".gitignore", ".luarc.json", ".resthost", "README.md", "main.lua",
            "main_test.lua",
        ]
        #expect(names.filter { $0 != "resthost.toml" } == expected)
        #expect(names.contains("resthost.toml") == (template == "gateway"))
        let lines = try TextFile.read(project + "/README.md").split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 11, "ten lines, and an end of the last")
    }

    @Test(arguments: [
        ("gatway", "there is no template 'gatway': did you mean 'gateway'?\n"),
        ("job", "there is no template 'job': did you mean 'jobs'?\n"),
        ("xyzzy", "there is no template 'xyzzy'\n"), ("", "there is no template ''\n"),
    ])
    func `an unknown template is named with the nearest, and nothing is written`(name: String, text: String)
        async
    {
        let folder = TemporaryFolder()
        let refused = await BuiltProgram.run("init", "--template", name, "new", in: folder.path)
        #expect(refused.code == 2)
        #expect(
            refused.errors.hasPrefix(
                "Error: \(text)  the templates are: api, gateway, jobs, aggregation\n"), "\(refused.errors)")
        #expect(folder.names(in: ".").isEmpty)
    }

    @Test func `a README that is there stays`() async throws {
        let folder = TemporaryFolder()
        folder.write("README.md", "mine")
        for arguments in [["init", "."], ["init", ".", "--force"]] {
            let run = await ChildProcess([BuiltProgram.path] + arguments, in: folder.path).end()
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.hasPrefix("Made 5 files, and .resthost/types/, in .:\n"))
            #expect(!run.output.contains("README.md"))
            let text = try TextFile.read(folder.path + "/README.md")
            #expect(text == "mine")
        }
    }

    /// With an empty name, a file's path would begin at the root folder.
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
