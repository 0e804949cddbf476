import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// The declaration of transformer modules in scripts, and the errors of invalid ones.
@Suite(.leakChecked) @EngineActor
struct ModuleDeclarationTests {
    private func failure(
        _ module: String, _ declaration: String = #"api:configure_transformer("**", "lib.shape")"#
    ) throws -> String? {
        let fixture = try ModuleFixture(["lib/shape": module])
        fixture.script.options.limits[.load] = .init(burst: 0.5)
        return fixture.failure(of: declaration)
    }

    @Test(
        "a module that is no good is an error of the declaration, at the module's line",
        arguments: [
            ("\nreturn function(c", "lib/shape.lua:2: ')' expected near <eof>"),
            ("\n\nlocal x = nil + 1", "lib/shape.lua:3: attempt to perform arithmetic on a nil value"),
            ("\nerror('not today')", "lib/shape.lua:2: not today"),
            (
                "\nreturn 5\n\n",
                "lib/shape.lua:2: transformer module 'lib.shape' returns a number: it must return function(content, entity), or a table { transform = function(content, entity) … }"
            ),
            (
                "",
                "lib/shape.lua:1: transformer module 'lib.shape' returns a boolean: it must return function(content, entity), or a table { transform = function(content, entity) … }"
            ),
            (
                "return {}",
                "lib/shape.lua:1: transformer module 'lib.shape' returns a table without 'transform', a function(content, entity)"
            ),
            (
                "return { transform = print, inputs = 'json' }",
                "lib/shape.lua:1: unknown option 'inputs': did you mean 'input'?"
            ),
            (
                "return { transfrom = print }",
                "lib/shape.lua:1: unknown option 'transfrom': did you mean 'transform'?"
            ),
            (
                "return { transform = 5 }",
                "lib/shape.lua:1: bad option 'transform' to 'transformer module 'lib.shape'' (function expected, got number)"
            ),
            (
                "return { transform = print, input = {} }",
                "lib/shape.lua:1: option 'input' can't be a class for a transformer module: tables lose their class on the way between Lua states; write input = \"table\""
            ),
            (
                "\nrequire 'lib.nowhere'",
                "lib/shape.lua:2: module 'lib.nowhere' not found: no lib/nowhere.lua or lib/nowhere/init.lua in '.'"
            ),
            (
                "rest.service { base_url = 'x' }",
                "lib/shape.lua:1: rest.service is not available in a transformer module, which runs beside the script in a Lua state of its own: do that in the script, and leave what the module needs of it in rest.store"
            ),
            ("rest.sevrice()", "lib/shape.lua:1: unknown field 'sevrice' on rest"),
            ("while true do end", "lib/shape.lua:1: "),
        ])
    func broken(module: String, message: String) throws {
        let text = try #require(try failure(module))
        #expect(text.hasPrefix(message), "\(text)")
    }

    @Test func `a module that is missing is named with the places that were looked at`() throws {
        let text = try failure("", #"api:configure_transformer("**", "nowhere")"#)
        #expect(
            text
                == "test.lua:1: the transformer 'nowhere' is no transformer: module 'nowhere' not found: no nowhere.lua or nowhere/init.lua in '.'"
        )
    }

    @Test(
        "a declaration that a module can't take is refused",
        arguments: [
            (
                "return { transform = print }",
                #"api:configure_transformer("**", { input = "text" }, "lib.shape")"#,
                "option 'input' belongs to a function: this transformer has rules of its own"
            ),
            (
                "return { transform = print }",
                #"rest.content_transformer { transform = "lib.shape", on_mismatch = "skip" }"#,
                "option 'on_mismatch' belongs to a function: this transformer has rules of its own"
            ),
            (
                "return print",
                #"api:configure_transformer("**", { output = {} }, "lib.shape")"#,
                "option 'output' can't be a class for a transformer module: tables lose their class on the way between Lua states; write output = \"table\""
            ),
        ])
    func refused(module: String, declaration: String, message: String) throws {
        #expect(try failure(module, declaration) == "test.lua:1: \(message)")
    }

    @Test func `a module's table says its rules; a script may call it something else`() async throws {
        let lines = try await output(
            """
            api:configure_transformer("json", "m")
            api:configure_transformer("text", { description = "the script's" }, "m")
            local own = rest.content_transformer { transform = "m" }
            print(own.description)
            rest.spawn(function()
              for _, path in ipairs { "json", "text" } do
                local content, err = api:resource(path):get()
                print(content and content.seen, err and err.cause.transformer)
              end
            end)
            """,
            modules: [
                "m":
                    "return { input = 'json', description = 'mine', transform = function(c) return { seen = c.id } end }"
            ])
        #expect(lines == ["mine", "7\tnil", "nil\tthe script's"])
    }

    @Test func `a name that the program registers is the program's`() async throws {
        struct Shout: Transformer {
            var description: String { "shout" }
            func process(_ response: Response, _ context: PipelineContext) -> Response {
                guard case .success(var entity) = response else { return response }
                entity.content = .text("HEY")
                return .success(entity)
            }
        }
        let fixture = try ModuleFixture(["m": "return function() return 'module' end"])
        fixture.script.options.transformers = ["m": Shout()]
        try fixture.load(
            #"api:configure_transformer("**", "m") rest.spawn(function() print(api:resource("text"):get()) end)"#
        )
        await fixture.settle()
        #expect(fixture.take() == ["HEY"])
        await fixture.close()
    }

    @Test func `modules and what they require lie with the script or on the path; globals are shut`()
        async throws
    {
        let library = TemporaryFolder()
        library.write("far.lua", "return { text = 'far' }")
        let fixture = try ModuleFixture([
            "lib/shape":
                "local near = require 'lib.near' local far = require 'far' return function() return near.text .. far.text end",
            "lib/near": "return { text = 'near' }",
            "global": "return function() oops = 1 end",
        ])
        fixture.script.options.modulePaths = [library.path]
        try fixture.load(
            """
            api:configure_transformer("text", "lib.shape")
            api:configure_transformer("json", "global")
            rest.spawn(function()
              print(api:resource("text"):get())
              print(select(2, api:resource("json"):get()).cause.message)
            end)
            """)
        await fixture.settle()
        #expect(
            fixture.take() == [
                "nearfar", "cannot make 'oops' a global once the script is loaded: write 'local oops'",
            ])
        await fixture.close()
    }

    @Test func `a check of a script looks at its modules too`() throws {
        let fixture = try ModuleFixture(["m": "return 1"])
        fixture.script.options.collectsDiagnostics = true
        let host = try ScriptHost(
            source: Array((ScriptFixture.prelude + #"api:configure_transformer("**", "m")"#).utf8),
            path: fixture.folder.path + "/test.lua", engine: fixture.script.engine,
            options: fixture.script.options)
        #expect(host.diagnostics.first?.file.map(fixture.plain) == "m.lua")
        host.close()
    }
}
