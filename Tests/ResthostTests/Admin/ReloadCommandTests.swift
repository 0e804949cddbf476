import Platform
import TestSupport
import Testing

/// A running program that gets another script.
struct ReloadCommandTests {
    private let folder = TemporaryFolder()
    private let runtime = RuntimeFolder()

    /// The first line of each script. Its timer keeps the script alive.
    private static let head = "local rest = require \"resthost\"  rest.every(3600, function() end)\n"

    private func save(_ text: String, as name: String = "main.lua") {
        // Editors save files in this way.
        folder.write(name + "~", text)
        rename("\(folder.path)/\(name)~", "\(folder.path)/\(name)")
    }

    private func start(_ arguments: String...) -> ChildProcess {
        ChildProcess(
            [BuiltProgram.path, "run", "main.lua", "--verbose"] + arguments, in: folder.path,
            environment: ["XDG_RUNTIME_DIR": runtime.path])
    }

    private func run(_ arguments: String...) async -> ChildProcess.Outcome {
        await ChildProcess(
            [BuiltProgram.path] + arguments, in: folder.path, environment: ["XDG_RUNTIME_DIR": runtime.path]
        ).end()
    }

    private func end(_ child: ChildProcess) async {
        child.signal(SIGTERM)
        #expect(await child.end().code == 0)
        for name in folder.names(in: "") { folder.remove(name) }
    }

    @Test func `a reload says which generation runs, or what is wrong and where`() async {
        save(Self.head + "rest.service { name = \"one\" }\n")
        let child = start("--no-watch")
        #expect(await child.hasReported("commands are taken at "))
        let good = await run("reload")
        #expect(good.code == 0)
        #expect(good.output.contains(/^generation 2, loaded in \d+ ms\n$/))

        save(Self.head + "local x = = 3\n")
        let bad = await run("reload")
        #expect(bad.code == 2)
        #expect(bad.output.isEmpty)
        #expect(
            bad.errors == """
                main.lua:2: error: unexpected symbol near '='
                  1 | \(Self.head)  2 | local x = = 3
                    | ^
                not reloaded: generation 2 goes on

                """)
        save(Self.head + "rest.service { name = \"two\" }\n")
        let failed = await run("status")
        #expect(failed.code == 0)
        #expect(failed.output.contains("the last reload failed "))
        #expect(
            failed.output.contains("; generation 2 goes on\nmain.lua:2: error: unexpected symbol near '='\n"))
        // The file as it was at that time.
        #expect(failed.output.contains("  2 | local x = = 3\n"))
        #expect(failed.output.contains("    one  absolute URLs only  0 resources\n"))

        #expect(await run("reload").output.hasPrefix("generation 3, "))
        let well = await run("status")
        #expect(!well.output.contains("failed"))
        #expect(well.output.contains("    two  absolute URLs only  0 resources\n"))
        #expect(well.output.contains("generation  3, loaded "))
        await end(child)
    }

    @Test func `SIGHUP and a changed module reload`() async {
        save("return 1", as: "module.lua")
        save(Self.head + "print(\"the module says \" .. require \"module\")\n")
        let child = start()
        #expect(await child.hasReported("watching "))
        child.signal(SIGHUP)
        #expect(await child.hasReported("at SIGHUP: generation 2\n"))
        save("return 2", as: "module.lua")
        #expect(await child.hasWritten("the module says 2\n"))
        #expect(await child.hasReported("module.lua changed: generation 3\n"))
        let status = await run("status")
        #expect(status.output.contains("module.lua changed)\n"))
        await end(child)
    }

    @Test func `the gateway moves with the script, or the reload fails`() async {
        let address = "unix:\(folder.path)/first.sock"
        let other = "unix:\(folder.path)/second.sock"
        save(Self.head + "rest.gateway { listen = \"\(address)\" }\n")
        let child = start("--no-watch")
        #expect(await child.hasWritten("listening on \(address)\n"))
        #expect(await child.hasReported("commands are taken at "))
        save(Self.head + "rest.gateway { listen = \"\(other)\" }\n")
        #expect(await run("reload").code == 0)
        #expect(await child.hasWritten("listening on \(other)\n"))
        #expect(folder.names(in: "").filter { $0.hasSuffix(".sock") } == ["second.sock"])

        save(Self.head + "rest.gateway { listen = \"unix:\(folder.path)/nowhere/x.sock\" }\n")
        let bad = await run("reload")
        #expect(bad.code == 2)
        #expect(
            bad.errors.hasPrefix(
                "main.lua:2: error: the folder of the socket unix:\(folder.path)/nowhere/x.sock does not exist\n"
            ))
        #expect(folder.names(in: "").filter { $0.hasSuffix(".sock") } == ["second.sock"])

        save(Self.head)
        #expect(await run("reload").code == 0)
        let status = await run("status")
        #expect(!status.output.contains("gateway"))
        await end(child)
    }
}
