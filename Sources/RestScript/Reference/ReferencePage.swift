import LuaRuntime
import RestEngine

/// The sections of the reference: `rest` with its tables, then what its functions give; then the same for
/// tests.
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
            + classes.map(section) + [testsSection, section(tests.testModule)]
            + testClasses.map(section)
    }

    /// What a test file sees beside them.
    var testClasses: [LuaClass] { [tests.hostClass, tests.servicesClass, tests.stubClass] }

    private var testsSection: String {
        """

        # Tests

        What a test file sees, as `local t = require "resthost.test"`; see <doc:TestingScripts>.

        """
    }

    /// In the order of ``BindingList``.
    var classes: [LuaClass] {
        context.values.bindings.classes.filter(\.isListed).map { context.values.luaClass(of: $0.type) }
    }

    private var valuesSection: String {
        """

        Beside these functions: `rest.env` (see env), `rest.store` (see store), `rest.null` (JSON's null), `rest.use_this_response` (see action),
        `rest.version`, and the tables below.

        """
    }

    private func section(_ module: ModuleTable) -> String {
        "\n## \(module.name)\n\n"
            + module.functions.map { Self.item("\(module.name).\($0.name)\($0.signature)", $0.documentation) }
            .joined()
    }

    private func section(_ entry: LuaClass) -> String {
        var text = "\n## \(entry.name)\n\n"
        if !entry.documentation.isEmpty { text += entry.documentation + "\n" }
        if !entry.methods.isEmpty {
            text += "\n"
            for method in entry.methods {
                text += Self.item("\(entry.name):\(method.name)\(method.signature)", method.documentation)
            }
        }
        if !entry.properties.isEmpty {
            text += "\n| field | type | | |\n|---|---|---|---|\n"
            for property in entry.properties {
                let type = property.type.replacing("|", with: "\\|")
                let access = property.set == nil ? "" : "may be set"
                text += "| `.\(property.name)` | `\(type)` | \(access) | \(property.documentation) |\n"
            }
        }
        return text
    }

    private static func item(_ signature: String, _ documentation: String) -> String {
        "- `\(signature)`\n  \(documentation)\n"
    }
}
