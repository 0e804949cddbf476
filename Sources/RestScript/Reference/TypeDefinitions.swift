import LuaRuntime
import Platform
import RestEngine

/// Definitions for the Lua language server (LuaLS), made from the binding tables of classes and functions.
@EngineActor
struct TypeDefinitions {
    private let context: ScriptContext
    private let tests: ScriptTestFile
    private let page: ReferencePage
    private let bundled: [PluginDescription]
    private let classNames: Set<String>

    init(_ context: ScriptContext, _ tests: ScriptTestFile) {
        self.context = context
        self.tests = tests
        page = ReferencePage(context, tests)
        // A test loads each of them.
        bundled = (try? PluginDescription.all()) ?? []
        classNames = Set((page.classes + page.testClasses).map(\.name))
    }

    private static let heading = "-- Written by `resthost types`; changes are lost."

    /// The definitions of the library `resthost`.
    var library: String {
        let bindings = context.values.bindings
        let rest = bindings.rest
        var text = "---@meta resthost\n\(Self.heading)\n\n" + TypeVocabulary.preface
        text += Self.comment(ReferencePage.aboutProperties)
        text += options("resthost.properties", GivenProperties.schema.descriptions, owner: "properties")
        text += page.classes.map(definition).joined() + fields
        text += "---@class resthost\n"
        for field in bindings.fields { text += "---@field \(field.name) \(field.type)\n" }
        text += "local rest = {}\n\n" + rest.functions.map { function($0, in: rest) }.joined()
        for module in bindings.tables {
            text += "\(module.name) = {}\n\n" + module.functions.map { function($0, in: module) }.joined()
        }
        return text + "return rest\n"
    }

    /// The definitions of the library `resthost.test`.
    var testLibrary: String {
        let module = tests.testModule
        return "---@meta resthost.test\n\(Self.heading)\n\n" + page.testClasses.map(definition).joined()
            + "---@class resthost.test\nlocal \(module.name) = {}\n\n"
            + module.functions.map { function($0, in: module) }.joined() + "return \(module.name)\n"
    }

    /// The definitions of the bundled modules, each with its name.
    var plugins: [(name: String, text: String)] {
        bundled.map { plugin in
            var text = "---@meta resthost.\(plugin.name)\n\(Self.heading)\n\n"
            if plugin.isUsed {
                text += options("resthost.\(plugin.name).options", plugin.options, owner: plugin.name)
            }
            text += Self.comment(plugin.text)
            text += "---@class resthost.\(plugin.name)\nlocal \(plugin.name) = {}\n\n"
            if plugin.isUsed {
                text +=
                    "---@param service resthost.service\n---@param options resthost.\(plugin.name).options\n"
                    + "function \(plugin.name).use(service, options) end\n\n"
            }
            for entry in plugin.functions {
                text += function("\(plugin.name).\(entry.name)", entry.signature, entry.text, entry.options)
            }
            return (plugin.name, text + "return \(plugin.name)\n")
        }
    }

    // MARK: Classes

    private func definition(_ entry: LuaClass) -> String {
        var text = Self.comment(entry.documentation) + "---@class resthost.\(entry.name)\n"
        for property in entry.properties {
            let type = self.type(of: property, in: entry)
            let mark = type.hasSuffix("?") ? "?" : ""
            text +=
                "---@field \(property.name)\(mark) \(mark.isEmpty ? type : String(type.dropLast())) "
                + Self.line(property.description.hint) + "\n"
        }
        if let index = TypeVocabulary.indexes[entry.name] { text += "---@field [string] \(index)\n" }
        text += "local \(entry.name) = {}\n\n"
        for method in entry.methods {
            if entry.name == "service", method.name == "use" { text += pluginOverloads }
            text += function(
                "\(entry.name):\(method.name)", method.signature, method.documentation, method.options(),
                receiver: "resthost.\(entry.name)")
        }
        return text
    }

    /// `service:use` with the name of each plugin, so that an editor completes its options.
    private var pluginOverloads: String {
        bundled.filter(\.isUsed).map { plugin in
            "---@overload fun(self: resthost.service, plugin: \"\(plugin.name)\", "
                + "options: resthost.\(plugin.name).options): resthost.service\n"
        }.joined()
    }

    private func type(of property: LuaProperty, in entry: LuaClass) -> String {
        if let known = TypeVocabulary.tables["\(entry.name).\(property.name)"] { return known }
        var text = TypeText(classes: classNames, owner: "\(entry.name).\(property.name)")
        if property.type == "headers" { return "resthost.headers" }
        return Signature.type(property.type).map { text.text($0) } ?? "any"
    }

    /// The classes of `c.timeouts` and the like, whose fields are not properties of a class.
    private var fields: String {
        page.withFields { all in
            all.map { fields in
                let name = fields.name.split(separator: ".").last.map(String.init) ?? fields.name
                var text = TypeText(classes: classNames, owner: fields.name)
                return "---@class resthost.\(name)\n"
                    + fields.fields.map(\.description).map { field in
                        let type = Signature.type(field.type).map { text.text($0) } ?? "any"
                        let mark = type.hasSuffix("?") ? "?" : ""
                        return
                            "---@field \(field.name)\(mark) \(mark.isEmpty ? type : String(type.dropLast())) "
                            + "\(field.hint)\n"
                    }.joined() + "\n"
            }.joined()
        }
    }

    // MARK: Functions

    private func function(_ function: ModuleFunction, in module: ModuleTable) -> String {
        self.function(
            "\(module.name).\(function.name)", function.signature, function.documentation, function.options())
    }

    private func function(
        _ name: String, _ signature: String, _ documentation: String, _ described: [OptionDescription],
        receiver: String? = nil
    ) -> String {
        guard let parsed = Signature(signature) else {
            return "---\(signature)\nfunction \(name)(...) end\n\n"
        }
        var types = TypeText(classes: classNames, owner: name)
        let parameters = parsed.parameters.map { (parameter: $0, type: types.text($0)) }
        let returns = parsed.returns.map { types.text($0) }
        var text = described.isEmpty ? "" : options(types.table, described, owner: name)
        for table in types.tables { text += options(table.name, table.fields, owner: name) }
        text += Self.comment(documentation)
        for (parameter, type) in parameters {
            text += "---@param \(parameter.name)\(parameter.isOptional ? "?" : "") \(type)\n"
        }
        for (place, type) in returns.enumerated() {
            // Results behind `A | nil` are nil when the function succeeds, so their types are optional.
            text +=
                "---@return \(place > 0 && !type.hasSuffix("...") && !type.hasSuffix("?") ? type + "?" : type)\n"
        }
        text += overloads(parameters, returns, receiver)
        return text + "function \(name)(\(parameters.map(\.parameter.name).joined(separator: ", "))) end\n\n"
    }

    private func options(_ name: String, _ fields: [Signature.Parameter], owner: String) -> String {
        var types = TypeText(classes: classNames, owner: owner)
        return "---@class \(name)\n"
            + fields.map { "---@field \($0.name)\($0.isOptional ? "?" : "") \(types.text($0))\n" }.joined()
            + "\n"
    }

    /// The class of a table of options. The classes of tables in it come first.
    private func options(_ name: String, _ fields: [OptionDescription], owner: String) -> String {
        var inner = ""
        var text = "---@class \(name)\n"
        for field in fields {
            let table = "\(name).\(field.name)"
            var types = TypeText(classes: classNames, owner: owner, table: table)
            let type = Signature.type(field.type).map { types.text($0) } ?? "any"
            if !field.fields.isEmpty { inner += options(table, field.fields, owner: owner) }
            text += "---@field \(field.name)\(field.isRequired ? "" : "?") \(type) \(Self.line(field.hint))\n"
        }
        return inner + text + "\n"
    }

    /// Overloads for signatures in which optional parameters come before others. Each may be left out, alone
    /// or together with others.
    private func overloads(
        _ parameters: [(parameter: Signature.Parameter, type: String)], _ returns: [String],
        _ receiver: String?
    ) -> String {
        guard let last = parameters.lastIndex(where: { !$0.parameter.isOptional }) else { return "" }
        let early = parameters.indices.filter { $0 < last && parameters[$0].parameter.isOptional }
        guard !early.isEmpty else { return "" }
        let result = returns.isEmpty ? "" : ": " + returns.joined(separator: ", ")
        return (1..<(1 << early.count)).map { choice in
            let left = Set(early.enumerated().filter { choice & (1 << $0.offset) != 0 }.map(\.element))
            let kept = parameters.indices.filter { !left.contains($0) }.map { place in
                "\(parameters[place].parameter.name): \(parameters[place].type)"
            }
            let all = (receiver.map { ["self: \($0)"] } ?? []) + kept
            return "---@overload fun(\(all.joined(separator: ", ")))\(result)\n"
        }.joined()
    }

    // MARK: Comments

    private static func comment(_ text: String) -> String { text.isEmpty ? "" : "---\(line(text))\n" }

    private static func line(_ text: String) -> String { text.replacing("\n", with: " ") }
}
