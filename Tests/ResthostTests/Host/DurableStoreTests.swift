import TestSupport
import Testing

/// `rest.store.open` and `rest.cache.sqlite` in the program.
struct DurableStoreTests {
    @Test func `what a script keeps is there when the program starts again`() async throws {
        let folder = ScriptFolder(
            """
            local state = rest.store.open("state.db")
            print("run " .. state:incr("runs"), state:get("list") and #state:get("list"))
            state:set("list", { 1, 2, 3 })
            state:set("over", 1, { ttl = 0.001 })
            """)
        #expect(await folder.run("run", "main.lua").output.contains("run 1\tnil"))
        #expect(await folder.run("run", "main.lua").output.contains("run 2\t3"))
        let checked = await folder.run("check", "main.lua")
        #expect(checked.code == 0, "\(checked.errors)")
        // Checking a script changes no files.
        let next = await folder.run("run", "main.lua").output
        #expect(next.contains("run 3\t3"), "\(next)")
    }

    @Test func `check makes no file`() async {
        let folder = ScriptFolder(
            "local s, c = rest.store.open 's.db', rest.cache.sqlite { path = 'c.db' } s:set('a', 1)")
        let checked = await folder.run("check", "main.lua")
        #expect(checked.code == 0, "\(checked.errors)")
        #expect(folder.names == ["main.lua"])
    }

    @Test(arguments: ["rest.cache.sqlite { path = 'notes.txt' }", "rest.store.open 'notes.txt'"])
    func `a file that isn't one is refused with one error, and stays as it is`(call: String) async {
        let folder = ScriptFolder("local x = \(call)")
        folder.write("my notes\n", to: "notes.txt")
        for command in ["check", "run"] {
            let outcome = await folder.run(command, "main.lua")
            #expect(outcome.code == 2)
            #expect(outcome.errors.contains("main.lua:2: error: rest."), "\(outcome.errors)")
            #expect(
                outcome.errors.contains("of this program, and stays as it is; give the "), "\(outcome.errors)"
            )
        }
        #expect(folder.names == ["main.lua", "notes.txt"] && folder.text(of: "notes.txt") == "my notes\n")
    }

    @Test func `what isn't granted is reported by check, with the flag`() async {
        let folder = ScriptFolder(
            """
            local cache = rest.cache.sqlite { path = "/nowhere/c.db" }
            rest.service { name = "a", base_url = "https://a.test", transport = { proxy = "http://p.test:3128" } }
            rest.gateway { listen = "unix:/nowhere/x.sock" }
            """)
        let outcome = await folder.run("check", "main.lua")
        #expect(outcome.code == 2)
        for line in [
            "main.lua:2: error: reading and writing '/nowhere/c.db' is not allowed: grant it with --allow-write /nowhere/c.db --allow-read /nowhere/c.db",
            "main.lua:3: error: requests through the proxy p.test:3128 are not allowed: grant it with --allow-net a.test,p.test:3128",
            "main.lua:4: error: listening on the socket '/nowhere/x.sock' is not allowed: grant it with --allow-write /nowhere/x.sock",
        ] { #expect(outcome.errors.contains(line), "\(outcome.errors)") }
        let granted = await folder.run(
            "check", "main.lua", "--allow-net", "a.test,p.test:3128", "--allow-write", "/nowhere",
            "--allow-read", "/nowhere")
        #expect(granted.code == 0, "\(granted.errors)")
    }
}
