import LuaRuntime
import Platform
import RestEngine

/// The sections of the reference: first `rest` with its tables, then the classes of its results, and then the
/// same for tests.
@EngineActor
struct ReferencePage {
    private let context: ScriptContext
    private let tests: ScriptTestFile

    init(_ context: ScriptContext, _ tests: ScriptTestFile) {
        self.context = context
        self.tests = tests
    }

    var sections: [String] {
        [context.values.bindings.rest].map(section) + [valuesSection]
            + context.values.bindings.tables.map(section)
            + classes.map(section) + [
                fieldsSections, propertiesSection, testsSection, section(tests.testModule),
            ]
            + testClasses.map(section)
    }

    /// The classes that only test files have.
    var testClasses: [LuaClass] { [tests.hostClass, tests.servicesClass, tests.stubClass] }

    /// Calls `body` with the named values of all fields of a configuration.
    func withFields<Result>(_ body: ([ScriptFields]) -> Result) -> Result {
        let service = Service(
            engine: context.engine, name: "reference", baseURL: try? BaseURL("http://localhost/"))
        let draft = service.resource("").configurationDraft(for: "GET")
        defer { service.flushUnusedResources() }
        return body([
            .timeouts(of: draft), .redirects(of: draft, in: context), .retry(of: draft, in: context),
            .limits(of: draft), .rateFields(of: draft, { RequestLimits() }) { _ in }, .breaker(of: draft),
        ])
    }

    private var fieldsSections: String {
        withFields { all in
            all.map { fields in
                "\n## c.\(fields.name)\n\n| field | type | default | |\n|---|---|---|---|\n"
                    + fields.fields.map { field in
                        let standard = field.standard.map { "`\($0)`" } ?? ""
                        return
                            "| `.\(field.name)` | `\(Self.cell(field.type))` | \(standard) | \(field.sentence) |\n"
                    }.joined()
            }.joined()
        }
    }

    static let aboutProperties =
        "A table with parts of a request: an endpoint, a definition or a modifier takes it."

    private var propertiesSection: String {
        "\n## properties\n\n\(Self.aboutProperties)\n" + Self.table(GivenProperties.schema.descriptions)
    }

    private var testsSection: String {
        """

        # Tests

        What a test file sees, as `local t = require "resthost.test"`; see [Testing scripts](../guides/testing.md).

        """
    }

    /// The classes in the order of ``BindingList``.
    var classes: [LuaClass] {
        context.values.bindings.classes.filter(\.isListed).map { context.values.luaClass(of: $0.type) }
    }

    private var valuesSection: String {
        """

        In addition to these functions: `rest.env` (see env), `rest.store` (see store), `rest.null` (JSON's null), `rest.use_this_response` (see action),
        `rest.version`, and the tables below.

        """
    }

    private func section(_ module: ModuleTable) -> String {
        "\n## \(module.name)\n\n"
            + module.functions.map {
                Self.item("\(module.name).\($0.name)\($0.signature)", $0.documentation, $0.options())
            }.joined()
    }

    private func section(_ entry: LuaClass) -> String {
        var text = "\n## \(entry.name)\n\n"
        if !entry.documentation.isEmpty { text += entry.documentation + "\n" }
        if !entry.methods.isEmpty {
            text += "\n"
            for method in entry.methods {
                text += Self.item(
                    "\(entry.name):\(method.name)\(method.signature)", method.documentation, method.options())
            }
        }
        if !entry.properties.isEmpty {
            text += "\n| field | type | | |\n|---|---|---|---|\n"
            for property in entry.properties {
                let type = Self.cell(property.type)
                let access = property.set == nil ? "" : "may be set"
                text += "| `.\(property.name)` | `\(type)` | \(access) | \(property.documentation) |\n"
            }
        }
        return text
    }

    private static func item(
        _ signature: String, _ documentation: String, _ options: [OptionDescription]
    ) -> String {
        let names = options.map { $0.name + ($0.isRequired ? "" : "?") }.joined(separator: ", ")
        let text = "- `\(signature.replacing("{ ... }", with: "{ \(names) }"))`\n  \(documentation)\n"
        return options.isEmpty ? text : text + table(options) + "\n"
    }

    private static func table(_ options: [OptionDescription]) -> String {
        "\n| option | type | default | |\n|---|---|---|---|\n" + rows(options, of: "")
    }

    /// Of options, each before those of the table that it is.
    private static func rows(_ options: [OptionDescription], of owner: String) -> String {
        options.map { option in
            let name = owner + option.name
            let type = cell(option.type.replacing("{ ... }", with: "table"))
            let standard = option.isRequired ? "required" : option.standard.map { "`\(cell($0))`" } ?? ""
            return "| `\(name)` | `\(type)` | \(standard) | \(cell(option.text)) |\n"
                + rows(option.fields, of: "\(name).")
        }.joined()
    }

    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
}
