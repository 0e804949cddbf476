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
            .limits(of: draft) {}, .rateFields(of: draft, { RequestLimits() }) { _ in }, .breaker(of: draft),
        ])
    }

    private var fieldsSections: String {
        withFields { all in
            all.map { fields in
                "\n## c.\(fields.name)\n"
                    + OptionMarkdown.flat(fields.fields.map(\.description), kind: "field", of: ".")
            }.joined()
        }
    }

    static let aboutProperties =
        "A table with parts of a request: an endpoint, a definition or a modifier takes it."

    private var propertiesSection: String {
        "\n## properties\n\n\(Self.aboutProperties)\n"
            + OptionMarkdown.flat(GivenProperties.schema.descriptions)
    }

    private var testsSection: String {
        """

        # Tests

        A test file has these functions, as `local t = require "resthost.test"`; see [Testing scripts](../guides/testing.md).

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
                let (field, isSet) = (property.description, property.set != nil)
                let standard = field.standard == nil ? "" : ", at first \(OptionMarkdown.standard(field))"
                text += OptionMarkdown.row(
                    "`.\(field.name)`",
                    [
                        OptionMarkdown.type(field), isSet ? "may be set\(standard)" : "",
                        OptionMarkdown.cell(field.text),
                    ])
            }
        }
        return text
    }

    private static func item(
        _ signature: String, _ documentation: String, _ options: [OptionDescription]
    ) -> String {
        let text = "- `\(OptionMarkdown.signature(signature, options))`\n  \(documentation)\n"
        return options.isEmpty ? text : text + OptionMarkdown.flat(options) + "\n"
    }
}
