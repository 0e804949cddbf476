import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct PipelineTests {
    @Test func `stages run in order, transformers in the order of adding`() throws {
        try expect(
            """
            local function say(word) return function(content) return content .. word end end
            api:configure(function(c)
              c.pipeline.cleanup:add(say "5"):add(say "6")
              c.pipeline.model:add(say "3")
              c.pipeline["model"]:add(say "4")
              c.pipeline.parsing:add(say "2")
            end)
            rest.spawn(function() print(api:resource("text"):get()) end)
            """, prints: ["hello23456"])
    }

    @Test func `16.5 an order that leaves out a filled stage is warned of once`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            api:configure(function(c)
              c.pipeline.model:add(function(content) return content end)
              c.pipeline.order = { "parsing", "cleanup" }
            end)
            local first = api:resource("a").configuration
            local second = api:resource("b").configuration
            """)
        let warnings = fixture.log.filter { $0.level == .warn }
        #expect(warnings.map(\.place) == ["test.lua:3"])
        #expect(
            warnings.map(\.text) == [
                "the pipeline's order leaves out 'model', which holds transformers or a cache: they won't run"
            ])
        fixture.close()
    }

    @Test func `an order drops, creates and moves stages`() throws {
        try expect(
            """
            local function say(word) return function(content) return content .. word end end
            api:configure(function(c)
              c.pipeline.model:add(say "m") c.pipeline.cleanup:add(say "c") c.pipeline["my stage"]:add(say "x")
              c.pipeline.order = { "my stage", "parsing", "cleanup", "model" }
              print(table.concat(c.pipeline.order, ","))
            end)
            api:configure("text", function(c) c.pipeline.order = { "parsing", "my stage" } end)
            api:configure("bytes", function(c) c.pipeline.order = {} end)
            rest.spawn(function()
              print(api:resource("text"):get()) print(api:resource("headers"):get()) print(#api:resource("bytes"):get())
            end)
            """,
            prints: [
                "my stage,parsing,cleanup,model",
                "warn: the pipeline's order leaves out 'cleanup', 'model', which holds transformers or a cache: they won't run",
                "hellox", "my stage,parsing,cleanup,model",
                "nil\tGET https://api.test/v1/headers: Cannot parse server response (200 OK): text expects bytes, got text",
                "my stage,parsing,cleanup,model",
                "warn: the pipeline's order leaves out 'cleanup', 'model', 'my stage', 'parsing', "
                    + "which holds transformers or a cache: they won't run", "3",
            ])
    }

    @Test func `the order of a configuration in use can be read and not changed`() throws {
        let frozen =
            "this configuration is frozen: change it in a block, and call invalidate_configuration() to run the blocks again"
        try expect(
            """
            local kept
            api:configure("text", function(c) kept = c end)
            local order = api:resource("text").configuration.pipeline.order
            print(#order, order[1], table.concat(order, ","))
            for _, change in ipairs {
              function() order[1] = "x" end, function() order[#order + 1] = "x" end,
              function() table.insert(order, "x") end, function() table.remove(order) end,
              function() kept.pipeline.order[1] = "x" end, function() kept.pipeline.order = { "x" } end,
            } do
              local ok, message = pcall(change)
              print(ok, (message:gsub("^test.lua:%d+: ", "")))
            end
            api:configure("json", function(c) c.pipeline.order = order print(#c.pipeline.order) end)
            print(#api:resource("json").configuration.pipeline.order)
            """,
            prints: ["5\traw_data\traw_data,decoding,parsing,model,cleanup"]
                + Array(repeating: "false\t\(frozen)", count: 6) + ["5", "5"])
    }

    @Test func `clearing takes transformers out of one stage or all, and keeps the order`() throws {
        try expect(
            """
            local function say(word) return function(content) return content .. word end end
            api:configure(function(c) c.pipeline.model:add(say "m") c.pipeline.cleanup:add(say "c") end)
            api:configure("text", function(c) c.pipeline.model:remove_transformers():add(say "n") end)
            api:configure("json", function(c) c.pipeline:remove_transformers() end)
            api:configure("headers", function(c) c.pipeline:clear() print(#c.pipeline.order) end)
            rest.spawn(function()
              print(api:resource("text"):get())
              print(api:resource("json"):load():await().content_kind)
              print(api:resource("headers"):load():await().content_kind)
            end)
            """, prints: ["hellonc", "bytes", "5", "bytes"])
    }

    @Test func `content types filter the transformers of a stage`() throws {
        try expect(
            """
            local function add(c, types) c.pipeline.model:add(function() return "hit" end, { content_types = types }) end
            api:configure("text", function(c) add(c, { "application/*", "TEXT/*" }) end)
            api:configure("json", function(c) add(c, "text/*") end)
            api:configure("bytes", function(c) add(c, "*/*") end)
            rest.spawn(function()
              print(api:resource("text"):get()) print(type(api:resource("json"):get()))
              print(#api:resource("bytes"):get())
            end)
            """, prints: ["hit", "table", "3"])
    }

    @Test(arguments: [
        ("c.pipeline.order = { 'a', 'b', 'a' }", "stage 'a' occurs twice in the pipeline's order"),
        ("c.pipeline.order = 'a'", "bad value for 'order' of pipeline (table expected, got string)"),
        (
            "c.pipeline.order = { x = 1 }",
            "'order' must be a list of strings, which has no place for the key 'x'"
        ),
        (
            "c.pipeline.order = { 'a', [3] = 'b' }",
            "'order' must be a list of strings, which has no place for the key '3'"
        ),
        ("c.pipeline.order = { 1 }", "item 1 of 'order' must be a string, not a number"),
        ("c.pipeline.model = 1", "unknown field 'model' on pipeline"),
        (
            "c.pipeline.model:add()",
            "the transformer is a function(content, entity), the name of a module, or a transformer of rest.*, not nothing"
        ),
        (
            "c.pipeline.model:add('my.module')",
            "the transformer 'my.module' is no transformer: module 'my.module' not found: no my/module.lua or my/module/init.lua in '.'"
        ),
        (
            "c.pipeline.model:add(print, { content_type = 'x' })",
            "unknown option 'content_type': did you mean 'content_types'?"
        ),
        ("c.pipeline.model:ad(print)", "unknown field 'ad' on stage: did you mean 'add'?"),
        (
            "c.pipeline:remove_cache()",
            "unknown field 'remove_cache' on pipeline: did you mean 'remove_caches'?"
        ),
        ("c.pipeline[1] = 1", "a pipeline has no field of type number"),
    ])
    func `a wrong use of the pipeline is refused`(source: String, message: String) throws {
        try expect(
            """
            api:configure(function(c)
              print(pcall(function() \(source) end))
            end)
            local c = api:resource("a").configuration
            """, prints: ["false\ttest.lua:2: \(message)"])
    }
}
