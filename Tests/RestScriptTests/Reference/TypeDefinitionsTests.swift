import LuaRuntime
import Platform
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
                case .map(let key, let value):
                    check(key, owner)
                    check(value, owner)
                case .word, .many: break
                }
            }
            func check(_ options: [OptionDescription], _ owner: String) {
                for option in options {
                    if let type = Signature.type(option.type) { check(type, owner) }
                    check(option.fields, owner)
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
            for function in described(context, tests, page) { check(function.options, function.owner) }
            check(GivenProperties.schema.descriptions, "properties")
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

    private struct Described {
        let owner: String
        let signature: String
        let options: [OptionDescription]
    }

    /// All functions and methods with described options.
    private func described(
        _ context: ScriptContext, _ tests: ScriptTestFile, _ page: ReferencePage
    ) -> [Described] {
        var all: [Described] = []
        for module in [context.values.bindings.rest, tests.testModule] + context.values.bindings.tables {
            all += module.functions.map {
                Described(
                    owner: "\(module.name).\($0.name)", signature: $0.signature, options: $0.options())
            }
        }
        for entry in page.classes + page.testClasses {
            all += entry.methods.map {
                Described(owner: "\(entry.name):\($0.name)", signature: $0.signature, options: $0.options())
            }
        }
        return all
    }

    @Test func `a signature has { ... } where its options are described, and only there`() {
        withTables { context, tests, page in
            for function in described(context, tests, page) {
                #expect(
                    function.signature.contains("{ ... }") == !function.options.isEmpty,
                    "\(function.owner)\(function.signature)")
            }
        }
    }

    @Test func `every option is a field of a class, and its type can be read`() {
        let text = files.map(\.text).joined()
        func check(_ options: [OptionDescription], _ name: String) {
            for option in options {
                #expect(Signature.type(option.type) != nil, "\(name).\(option.name): \(option.type)")
                #expect(!option.sentence.isEmpty, "\(name).\(option.name)")
                #expect(
                    option.type.contains("{ ... }") == !option.fields.isEmpty, "\(name).\(option.name)")
                let mark = option.isRequired ? "" : "?"
                let start = text.firstRange(of: "---@class \(name)\n")?.upperBound ?? text.endIndex
                let end = text[start...].firstRange(of: "\n\n")?.lowerBound ?? text.endIndex
                #expect(
                    "\n\(text[start..<end])".contains("\n---@field \(option.name)\(mark) "),
                    "\(name).\(option.name)")
                check(option.fields, "\(name).\(option.name)")
            }
        }
        withTables { context, tests, page in
            for function in described(context, tests, page) {
                check(function.options, TypeText.options(of: function.owner))
            }
        }
        check(GivenProperties.schema.descriptions, "resthost.properties")
    }

    @Test func `the reference has a row for every option`() {
        let text = ScriptReference.markdown()
        func check(_ options: [OptionDescription], _ owner: String) {
            for option in options {
                #expect(text.contains("\n| `\(owner)\(option.name)` | `"), "\(owner)\(option.name)")
                check(option.fields, "\(owner)\(option.name).")
            }
        }
        withTables { context, tests, page in
            for function in described(context, tests, page) { check(function.options, "") }
        }
    }

    @Test func `every field behind one of a block is in both, and its type can be read`() {
        let (types, reference) = (files.map(\.text).joined(), ScriptReference.markdown())
        withTables { _, _, page in
            page.withFields { all in
                for fields in all {
                    #expect(reference.contains("\n## c.\(fields.name)\n"))
                    for field in fields.fields.map(\.description) {
                        let name = "\(fields.name).\(field.name)"
                        #expect(Signature.type(field.type) != nil, "\(name): \(field.type)")
                        #expect(types.contains(" \(field.hint)\n"), "\(name)")
                        #expect(reference.contains("| \(field.text) |\n"), "\(name)")
                    }
                }
            }
        }
    }

    @Test func `the definitions are Lua, and say what require gives`() throws {
        let state = LuaState()
        defer { state.close() }
        for file in files { _ = try state.compile(file.text, chunk: file.path) }
        let plugins = try PluginDescription.all().map { "resthost/\($0.name).lua" }
        #expect(files.map(\.path) == ["resthost.lua", "resthost/test.lua"] + plugins)
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
                "---@class resthost.service.configure.options\n---@field methods? string|string[] The methods"
            ))
        #expect(
            text.contains(
                "---@return resthost.entity|nil\n---@return resthost.error?\nfunction request:await() end"))
    }
}
