import Platform
import RestEngine
import TestSupport
import Testing

struct ImportCommandTests {
    private let folder = TemporaryFolder()
    private let documents = BuiltProgram.repository + "/Tests/plugins/documents"

    private func run(_ arguments: String...) async -> ChildProcess.Outcome {
        await ChildProcess([BuiltProgram.path] + arguments, in: folder.path).end()
    }

    @Test(arguments: ["library.json", "garden_swagger.json"])
    func `a script of an OpenAPI document passes its checks and its tests`(document: String) async throws {
        let made = await run("import", "openapi", "\(documents)/\(document)", "--output", "lib/api")
        #expect(made.code == 0, "\(made.errors)")
        #expect(made.output.contains("  wrote  lib/api_generated.lua\n"))
        folder.write("lib/api.lua", try TextFile.read(folder.path + "/lib/api.lua") + "-- mine\n")
        let again = await run("import", "openapi", "\(documents)/\(document)", "--output", "lib/api")
        #expect(
            again.code == 0 && again.output.contains("  kept   lib/api.lua, which is yours\n"),
            "\(again.output)")
        let isMine = try TextFile.read(folder.path + "/lib/api.lua").hasSuffix("-- mine\n")
        #expect(isMine)
        let check = await run("check", "--strict", "lib/api.lua")
        #expect(check.code == 0, "\(check.errors)")
        let test = await run("test", "lib")
        #expect(test.code == 0, "\(test.output)")
    }

    @Test func `a line of curl is a script, from an argument or a pipe`() async throws {
        let line =
            "curl -X POST https://api.example.com/users -H 'Content-Type: application/json' -d '{\"name\":\"Ada\"}'"
        let made = await run("import", "curl", line)
        #expect(made.code == 0, "\(made.errors)")
        let text = try TextFile.read(folder.path + "/api_generated.lua")
        #expect(text.contains("https://api.example.com") && text.contains("POST"))
        folder.write("line", line)
        let piped = await ChildProcess(
            ["/bin/sh", "-c", "'\(BuiltProgram.path)' import curl - --output piped --json <line"],
            in: folder.path
        ).end()
        #expect(piped.code == 0)
        let outcome = try Tree(json: piped.output)
        let written = outcome["files"]?.elements.compactMap { $0["written"]?.bool } ?? []
        #expect(written.contains(true) && !written.contains(false), "\(piped.output)")
        let check = await run("check", "--strict", "piped.lua")
        #expect(check.code == 0, "\(check.errors)")
    }

    @Test(arguments: [("har", "browser.har"), ("postman", "shop_postman.json")])
    func `recordings and collections are scripts, too`(kind: String, document: String) async {
        let made = await run("import", kind, "\(documents)/\(document)", "--output", "shop")
        #expect(made.code == 0, "\(made.errors)")
        let check = await run("check", "--strict", "shop.lua")
        #expect(check.code == 0, "\(check.errors)")
    }

    @Test(arguments: [
        ("{", "it is no JSON"), ("[]", "resthost: doc.json: "),
        (#"{"openapi":"4.0"}"#, "resthost: doc.json: "),
        (
            ##"{"openapi":"3.1.0","info":{"title":"a","version":"1"},"paths":{"/a":{"$ref":"#/nowhere"}}}"##,
            "#/nowhere"
        ),
    ])
    func `a wrong document is an error that names it`(text: String, message: String) async {
        folder.write("doc.json", text)
        let made = await run("import", "openapi", "doc.json")
        #expect(
            made.code == 2 && made.errors.contains(message) && made.errors.contains("doc.json"),
            "\(made.errors)")
        #expect(folder.names(in: ".") == ["doc.json"])
    }

    @Test func `wrong usage is an error`() async {
        #expect(await run("import", "raml", "x").code == 2)
        #expect(await run("import", "openapi", "missing.json").code == 2)
        #expect(await run("import", "har", "x.har", "--swift").code == 2)
    }
}
