import LuaRuntime
import RestEngine
import Testing

@testable import RestScript

@EngineActor
struct TypeDefinitionsTests {
    private let files = ScriptReference.types()

    private func withTables(_ body: (ScriptContext, ScriptTestFile, ReferencePage) throws -> Void) rethrows {
        let context = ScriptContext(
            engine: Engine(transport: NullTransport()), options: ScriptOptions(), folder: ".")
        let tests = ScriptTestFile(path: "types", options: ScriptOptions())
        defer {
            context.close()
            tests.close()
        }
        try body(context, tests, ReferencePage(context, tests))
    }

    /// All signatures of the bindings, by `class:method` or `module.function`.
    private func signatures(_ context: ScriptContext, _ tests: ScriptTestFile, _ page: ReferencePage)
        -> [(owner: String, text: String)]
    {
        (page.classes + page.testClasses).flatMap { entry in
            entry.methods.map { ("\(entry.name):\($0.name)", $0.signature) }
        }
            + ([context.values.bindings.rest, tests.testModule] + context.values.bindings.tables).flatMap {
                module in
                module.functions.map { ("\(module.name).\($0.name)", $0.signature) }
            }
    }

    @Test func `every class, field, method and function of the bindings is defined`() {
        let text = files.map(\.text).joined()
        withTables { context, tests, page in
            for entry in page.classes + page.testClasses {
                #expect(text.contains("---@class resthost.\(entry.name)\n"))
                for property in entry.properties {
                    #expect(text.contains("---@field \(property.name)"), "\(entry.name).\(property.name)")
                }
            }
            for (owner, signature) in signatures(context, tests, page) {
                let names = Signature(signature)?.parameters.map(\.name).joined(separator: ", ") ?? "?"
                #expect(text.contains("\nfunction \(owner)(\(names)) end\n"), "\(owner)\(signature)")
            }
            for value in context.values.bindings.rest.values {
                #expect(
                    text.contains("---@field \(value) ") || text.contains("\nrest.\(value) = {}"),
                    "rest.\(value)")
            }
        }
    }

    @Test func `every signature and type of a field can be read, and every name in them is known`() {
        withTables { context, tests, page in
            let classes = Set((page.classes + page.testClasses).map(\.name))
            func isKnown(_ name: String, in owner: String) -> Bool {
                name == "..." || TypeVocabulary.plain.contains(name) || TypeVocabulary.names[name] != nil
                    || classes.contains(name) || TypeVocabulary.options["\(owner).\(name)"] != nil
            }
            func check(_ parameters: [Signature.Parameter], _ owner: String) {
                for parameter in parameters {
                    if let type = parameter.type {
                        check(type, owner)
                    } else {
                        #expect(
                            isKnown(parameter.name, in: owner),
                            "\(owner): '\(parameter.name)' is not in TypeVocabulary")
                    }
                }
            }
            func check(_ type: Signature.ValueType, _ owner: String) {
                switch type {
                case .named(let name):
                    #expect(isKnown(name, in: owner), "\(owner): '\(name)' is not in TypeVocabulary")
                case .optional(let type), .list(let type): check(type, owner)
                case .union(let types): for type in types { check(type, owner) }
                case .function(let parameters, let returns):
                    check(parameters, owner)
                    for type in returns { check(type, owner) }
                case .table(let fields): check(fields, owner)
                case .many: break
                }
            }
            for (owner, text) in signatures(context, tests, page) {
                guard let signature = Signature(text) else {
                    Issue.record("\(owner)\(text) is no signature: see Signature")
                    continue
                }
                check(signature.parameters, owner)
                for type in signature.returns { check(type, owner) }
            }
            for entry in page.classes + page.testClasses {
                for property in entry.properties {
                    let owner = "\(entry.name).\(property.name)"
                    guard let type = Signature.type(property.type) else {
                        Issue.record("\(owner): \(property.type)")
                        continue
                    }
                    check(type, owner)
                }
            }
        }
    }

    @Test func `the definitions are Lua, and say what require gives`() throws {
        let state = LuaState()
        defer { state.close() }
        for file in files { _ = try state.compile(file.text, chunk: file.path) }
        #expect(files.map(\.path) == ["resthost.lua", "resthost/test.lua"])
        #expect(files[0].text.hasPrefix("---@meta resthost\n"))
        #expect(files[1].text.hasPrefix("---@meta resthost.test\n"))
    }

    @Test func `arguments that may be left out at the front have overloads`() {
        let text = files[0].text
        #expect(
            text.contains(
                "---@overload fun(self: resthost.service, fn: fun(c: resthost.configuration)): resthost.service\n"
            ))
        #expect(
            text.contains(
                "---@class resthost.service.configure.options\n---@field methods? string|string[]\n"))
        #expect(
            text.contains(
                "---@return resthost.entity|nil\n---@return resthost.error?\nfunction request:await() end"))
    }
}
