import RestEngine
import Testing

struct RoutesCommandTests {
    private let script = """
        local hidden = rest.service { name = "hidden", base_url = "https://hidden.test" }
        local page = rest.service { name = "page" }
        page:computed("/dash/{user}", function() return {} end)
        local gateway = rest.gateway { expose = { page = { paths = { "/dash/*", "/x" } }, api = { methods = { "POST" } } } }
        local api = rest.service { name = "api", base_url = "https://user:s3cret@api.test/v1" }
        gateway:route("*", "/hook/**", print):route("GET", "/{any}", print):route({ "GET", "POST" }, "/hook/in", print)
        """

    @Test func `routes and exposed paths in the order in which they count`() async {
        let run = await ScriptFolder(script).run("routes", "main.lua")
        #expect(run.code == 0 && run.errors == "")
        let rows = run.output.split(separator: "\n").map {
            $0.split(separator: "  ", omittingEmptySubsequences: true).map { $0.drop { $0 == " " } }
        }
        #expect(
            rows == [
                ["GET, HEAD", "/-/…", "the host itself"],
                ["GET, HEAD, POST", "/hook/in", "route at main.lua:7"],
                ["GET, HEAD, POST, PUT, PATCH, DELETE", "/hook/**", "route at main.lua:7"],
                ["GET, HEAD", "/{any}", "route at main.lua:7"],
                ["GET, HEAD", "/page/dash/*", "computed resources"],
                ["GET, HEAD", "/page/x", "computed resources"],
                ["POST", "/api/**", "https://***@api.test/v1/"],
            ])
    }

    @Test func `as JSON`() async throws {
        let run = await ScriptFolder(script).run("routes", "main.lua", "--json")
        let rows = Array(try Tree(json: Array(run.output.utf8)).elements)
        #expect(rows.count == 7 && rows[1]["target"] == "main.lua:7")
        #expect(rows.last?["kind"] == "service")
        #expect(rows[4]["target"] == .null)
    }

    @Test func `a route that is wrong is an error with its line`() async {
        let run = await ScriptFolder(#"rest.gateway {}:route("GET", "/a/{", print)"#).run(
            "routes", "main.lua")
        #expect(run.code == 2 && run.output == "")
        #expect(run.errors.contains("main.lua:2: error:"))
    }
}
