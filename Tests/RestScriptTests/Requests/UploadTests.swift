import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct UploadTests {
    let folder = TemporaryFolder()

    /// Runs a script in ``folder``; returns its output.
    private func output(
        _ source: String, readable: Capabilities.Paths = .all
    ) throws -> [String] {
        let fixture = ScriptFixture()
        fixture.options.capabilities.read = readable
        try SampleServer.install(on: fixture.transport)
        try fixture.load(source, path: "\(folder.path)/test.lua")
        fixture.close()
        return fixture.lines.map { $0.replacing(folder.path, with: "FOLDER") }
    }

    private func sent(_ options: String) throws -> String {
        try output(
            "rest.spawn(function() print(api:resource('echo'):request('POST', { \(options) }):await().text) end)"
        ).joined(separator: "\n").replacing("\r\n", with: "|")
    }

    private func failure(
        _ options: String, readable: Capabilities.Paths = .all
    ) throws -> [String] {
        try output(
            """
            local request = api:resource("echo"):request("POST", { \(options) })
            local err = request.response.error
            print(request.state, err.user_message, err.cause.type, err.cause.message)
            """, readable: readable)
    }

    @Test("6.10: a file of the script's folder, or of anywhere")
    func file() throws {
        folder.write("data/f", "x")
        let type = "POST /echo Content-Type=application/octet-stream [x]"
        #expect(try sent("file = 'data/f'") == type)
        #expect(try sent("file = '\(folder.path)/data/f'") == type)
        #expect(
            try sent("file = 'data/f', content_type = 'a/b'") == "POST /echo Content-Type=a/b [x]")
    }

    @Test("6.10: parts of a form")
    func multipart() throws {
        folder.write("f.txt", "x")
        let form =
            "{ name = 'a', value = 'b\\0c' }, { name = 'n', value = 5, content_type = 'text/plain' }, "
            + "{ name = 'f', file = 'f.txt' }, { name = 'g', value = rest.bytes('y'), filename = 'g.bin' }"
        let part = "--part-boundary|Content-Disposition: form-data; name="
        #expect(
            try sent("multipart = { \(form) }")
                == "POST /echo Content-Type=multipart/form-data; boundary=part-boundary ["
                + "\(part)\"a\"||b\0c|\(part)\"n\"|Content-Type: text/plain||5|"
                + "\(part)\"f\"; filename=\"f.txt\"|Content-Type: application/octet-stream||x|"
                + "\(part)\"g\"; filename=\"g.bin\"|Content-Type: application/octet-stream||y|--part-boundary--|]"
        )
    }

    @Test("20.9: a file that can't be read is a failed request that names it")
    func unreadable() throws {
        let expected =
            "completed\tCannot send request\tinternal\tcannot read 'FOLDER/none': No such file or directory"
        #expect(try failure("file = 'none'") == [expected])
        #expect(try failure("multipart = { { name = 'a', file = 'none' } }") == [expected])
    }

    @Test("a file that the host doesn't grant is not opened")
    func refused() throws {
        folder.write("f", "x")
        let expected =
            "completed\tCannot send request\tinternal\tcannot read 'FOLDER/f': it is not allowed: "
            + "grant it with --allow-read FOLDER/f"
        let granted = Capabilities.Paths.below(["\(folder.path)/g"])
        #expect(try failure("file = 'f'", readable: granted) == [expected])
        #expect(try failure("multipart = { { name = 'a', file = 'f' } }", readable: granted) == [expected])
    }

    @Test("a mutator finds no body in an upload and may put one in its place")
    func mutation() throws {
        folder.write("f", "x")
        #expect(
            try output(
                """
                rest.spawn(function()
                  local r = api:resource("echo"):request("POST", { file = "f", mutate = function(d) print(d.body) end })
                  print(r:await().text)
                  r = api:resource("echo"):request("POST", { file = "f", mutate = function(d) d.body = "y" end })
                  print(r:await().text)
                end)
                """) == [
                    "nil", "POST /echo Content-Type=application/octet-stream [x]",
                    "POST /echo Content-Type=application/octet-stream [y]",
                ])
    }

    @Test(
        "a wrong part is a wrong call",
        arguments: [
            ("'x'", "bad option 'multipart' to 'request' (table expected, got string)"),
            ("{}", "option 'multipart' is a list of parts: { { name = \"a\", value = \"b\" }, … }"),
            (
                "{ name = 'a', value = 'b' }",
                "option 'multipart' is a list of parts: { { name = \"a\", value = \"b\" }, … }"
            ),
            ("{ 'a' }", "part 1 of option 'multipart' is a table, not a string"),
            ("{ { value = 'b' } }", "option 'name' is missing in the call of 'part 1 of multipart'"),
            (
                "{ { name = 'a', value = '' }, { name = 5, value = 'b' } }",
                "bad option 'name' to 'part 2 of multipart' (string expected, got number)"
            ),
            ("{ { name = 'a' } }", "part 'a' of option 'multipart' has either a value or a file"),
            (
                "{ { name = 'a', value = 'b', file = 'c' } }",
                "part 'a' of option 'multipart' has either a value or a file"
            ),
            (
                "{ { name = 'a', value = {} } }",
                "the value of a part is a string, a number or a boolean, not a table"
            ),
            (
                "{ { name = 'a', value = 'b', type = 'c' } }",
                "unknown option 'type': did you mean 'content_type'?"
            ),
        ])
    func wrongPart(parts: String, message: String) {
        let error = loadError("api:resource('echo'):request('POST', { multipart = \(parts) })")
        #expect(error == "1: \(message)")
    }

    @Test("20.9: a part that would break the form apart is a failed request")
    func malformedPart() throws {
        #expect(
            try failure("multipart = { { name = 'a', value = 'b', content_type = 'c\\nd' } }") == [
                "completed\tScript error\tscript_error\tthe content type of part 'a' contains a line break or control character"
            ])
    }

    @Test(
        "an idempotency key is the text given, or a random one, for the request and its repeats",
        arguments: ["'k'", "true", "false"])
    func idempotencyKey(key: String) throws {
        let lines = try output(
            """
            local keys = {}
            local r = api:resource("echo"):request("POST", {
              idempotency_key = \(key), mutate = function(d) keys[#keys + 1] = d.headers["Idempotency-Key"] or "none" end,
            })
            rest.spawn(function()
              r:await() r:repeated():start():await()
              print(keys[1] == keys[2], keys[1])
            end)
            """)
        let parts = try #require(lines.first).split(separator: "\t")
        #expect(parts[0] == "true")
        switch key {
        case "'k'": #expect(parts[1] == "k")
        case "true": #expect(parts[1].count == 36)
        default: #expect(parts[1] == "none")
        }
    }
}
