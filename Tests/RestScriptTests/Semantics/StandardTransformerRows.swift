import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Section 18 of the rules as scripts see it.
@Suite(.leakChecked) @EngineActor
struct StandardTransformerRows {
    private func load(_ reply: StubReply, configure: String = "", _ show: String) throws -> [String] {
        try output(
            """
            \(configure)
            rest.spawn(function()
              local entity, err = api:resource("a"):load():await()
              \(show)
            end)
            """, stubs: [("a", reply)])
    }

    private func reply(_ type: String, _ body: [UInt8], _ status: Int = 200) -> StubReply {
        .response(status, headers: Headers([("Content-Type", type)]), body: body)
    }

    @Test("18.1: JSON is a table, in errors too")
    func json() throws {
        let show =
            "local e = entity or err.entity print(e.content_kind, e.json.a[1], (entity or err).json.a[2])"
        for type in ["application/json", "a/b+json", "text/json"] {
            for status in [200, 400] {
                #expect(try load(.text(status, #"{"a":[1,"é"]}"#, type: type), show) == ["json\t1\té"])
            }
        }
    }

    @Test(
        "18.2: a JSON atom is a failure that names its type, unless fragments are allowed",
        arguments: [
            ("5", "number"), ("1.5", "number"), ("\"x\"", "string"), ("null", "null"), ("true", "boolean"),
        ])
    func atoms(json: String, type: String) throws {
        #expect(
            try load(.json(200, json), "print(err.user_message, err.cause.type, err.cause.actual)")
                == ["Cannot parse server response\tjson_not_object_or_array\t\(type)"])
        let configure = """
            api:configure(function(c)
              c.pipeline.parsing:remove_transformers():add(rest.transformers.json { allow_fragments = true })
            end)
            """
        #expect(
            try load(
                .json(200, json), configure: configure, "print(rest.json.encode(entity.content))") == [json])
    }

    @Test("D30: a standard transformer leaves a success without a body alone by default")
    func noBody() throws {
        let show =
            "print(entity and entity.content == '', entity and entity.content_kind, err and err.cause.type)"
        let configure = """
            api:configure(function(c)
              c.pipeline.parsing:remove_transformers():add(rest.transformers.json { empty = true })
            end)
            """
        #expect(try load(reply("application/json", [], 204), show) == ["true\tbytes\tnil"])
        #expect(
            try load(reply("application/json", [], 204), configure: configure, show) == [
                "nil\tnil\tmalformed_json"
            ])
    }

    @Test("NDJSON is a list of the lines' values")
    func ndjson() throws {
        let body = Array("{\"a\":1}\n[2]\n\n\"x\"\n".utf8)
        let show = "print(rest.json.encode(entity.content), entity.content_kind, #entity.json)"
        #expect(try load(reply("application/x-ndjson", body), show) == ["[{\"a\":1},[2],\"x\"]\tjson\t3"])
        #expect(try load(reply("application/jsonl", []), show) == ["[]\tjson\t0"])
        let configure = """
            api:configure(function(c)
              c.pipeline.parsing:remove_transformers():add(rest.transformers.ndjson { empty = false })
            end)
            """
        #expect(try load(reply("a/b", []), configure: configure, "print(entity.content_kind)") == ["bytes"])
    }

    @Test(
        "18.3 D41: text by the charset of the header, else UTF-8, or windows-1252",
        arguments: [
            ("text/plain; charset=utf-8", [0xC3, 0xA9], "é"), ("text/plain", [0xC3, 0xA9], "é"),
            ("text/plain", [0xE9, 0x80], "é€"), ("text/plain; charset=us-ascii", [0x80], "€"),
            ("text/csv", [0xFF, 0xFE, 0xE9, 0, 0x3B, 0], "é;"),
            ("text/plain; charset=EUC-JP", [0xC3, 0xBD], "箪"),
            ("text/plain; charset=utf-16", [0xD8, 0x3D, 0xDC, 0xA3], "💣"),
        ] as [(String, [UInt8], String)])
    func text(type: String, body: [UInt8], text: String) throws {
        #expect(try load(reply(type, body), "print(entity.text)") == [text])
        #expect(
            try load(reply(type, body, 404), "print(err.text, err.user_message)") == ["\(text)\tNot found"])
    }

    @Test("18.3: an unknown charset, and bytes that are not of theirs, are failures that name it")
    func badText() throws {
        #expect(
            try load(
                reply("text/plain; charset=oodlefratz", [0x61]),
                "print(err.user_message, err.cause.type, err.cause.name)") == [
                    "Cannot parse server response\tinvalid_text_encoding\toodlefratz"
                ])
        #expect(
            try load(
                reply("text/plain; charset=utf-8", [0xD8]),
                "print(err.user_message, err.cause.type, err.cause.encoding)") == [
                    "Cannot parse server response\tundecodable_text\tutf-8"
                ])
    }

    @Test("18.3 D41: the option charset decides, and must be known")
    func givenCharset() throws {
        func configure(_ options: String) -> String {
            """
            api:configure(function(c)
              c.pipeline.parsing:remove_transformers():add(rest.transformers.text \(options))
            end)
            """
        }
        let latin = reply("text/plain; charset=utf-8", [0xD1])
        #expect(
            try load(latin, configure: configure("{ charset = 'koi8-r' }"), "print(entity.text)") == ["я"])
        #expect(
            try load(
                reply("text/plain", [0xC3]), configure: configure("{ charset = 'utf-8' }"),
                "print(err.cause.type, err.cause.encoding)") == ["undecodable_text\tutf-8"])
        let errors = try load(
            latin,
            configure: "print(pcall(rest.transformers.text, { charset = 'windows-12522' }))", "return nil")
        #expect(
            try #require(errors.first).hasSuffix(
                "unknown charset 'windows-12522': did you mean 'windows-1252'?"))
    }

    @Test("18.4: an image has format and size; what is none is a failure; errors stay bytes")
    func image() throws {
        let gif = Array("GIF89a".utf8) + [2, 0, 3, 0]
        #expect(
            try load(
                reply("image/gif", gif),
                "local i = entity.content print(i.format, i.width, i.height, #i.bytes)")
                == ["gif\t2\t3\t10"])
        #expect(
            try load(reply("image/png", [0x61]), "print(err.user_message, err.cause.type)") == [
                "Cannot parse server response\tunparsable_image"
            ])
        #expect(
            try load(reply("image/gif", gif, 500), "print(err.entity.content_kind)") == ["bytes"])
    }

    @Test("18.5 D11: text/json is JSON, and where there is no JSON it is text")
    func clash() throws {
        let reply = StubReply.text(200, "[]", type: "text/json")
        #expect(try load(reply, "print(entity.content_kind)") == ["json"])
        let lines = try output(
            """
            local s = rest.service { name = "s", base_url = "https://api.test/v1", standard_transformers = { "text" } }
            rest.spawn(function() print(s:resource("a"):load():await().content_kind) end)
            """, stubs: [("a", reply)])
        #expect(lines == ["text"])
    }

    @Test("18.6: text that the text transformer gets is a mismatch")
    func textTwice() throws {
        #expect(
            try load(
                .text(200, "x"),
                configure:
                    "api:configure(function(c) c.pipeline.model:add(rest.transformers.text()) end)",
                "print(err.cause.type, err.cause.expected, err.cause.actual, err.cause.transformer)")
                == ["wrong_input_type\tbytes\ttext\ttext"])
    }

    @Test(
        "18.7: other types are bytes",
        arguments: ["application/octet-stream", "application/xml", "video/mp4"])
    func others(type: String) throws {
        #expect(
            try load(reply(type, [0x7B]), "print(entity.content_kind, entity.content, entity.text)")
                == ["bytes\t{\t"])
    }

    @Test("18.8: standard transformers are chosen, and added again by a block")
    func selection() throws {
        let lines = try output(
            """
            local s = rest.service { name = "s", base_url = "https://api.test/v1", standard_transformers = { "text" } }
            s:configure("b", function(c) c.pipeline.parsing:add(rest.transformers.json(), { content_types = { "*/json" } }) end)
            rest.spawn(function()
              for _, path in ipairs { "a", "b", "c" } do print(s:resource(path):load():await().content_kind) end
            end)
            """, stubs: [("a", .json(200, "[]")), ("b", .json(200, "[]")), ("c", .text(200, "x"))])
        #expect(lines == ["bytes", "json", "text"])
    }

    @Test("18.9: a factory's flag says whether errors are transformed, at any stage")
    func flags() throws {
        for (flag, kind) in [("true", "json"), ("false", "bytes")] {
            let configure = """
                api:configure(function(c)
                  c.pipeline:remove_transformers()
                  c.pipeline.model:add(rest.transformers.json { transform_errors = \(flag) })
                end)
                """
            #expect(
                try load(.json(500, "[]"), configure: configure, "print(err.entity.content_kind)") == [kind])
        }
    }
}
