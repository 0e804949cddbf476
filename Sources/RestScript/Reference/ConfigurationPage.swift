import LuaRuntime
import Platform
import RestEngine

/// The page of the fields of a configuration, `c`, by what they are about.
@EngineActor
struct ConfigurationPage {
    private let context: ScriptContext
    private let reference: ReferencePage

    init(_ context: ScriptContext, _ tests: ScriptTestFile) {
        self.context = context
        reference = ReferencePage(context, tests)
    }

    var text: String {
        reference.withFields { fields in
            Self.heading
                + ConfigurationBinding(context: context).groups.map { group in
                    let options = group.properties.map { described($0, fields) }
                    let sections = OptionSections(options, kind: "field", of: "c.", level: 3)
                    return "\n## \(group.title)\n" + sections.table + sections.sections
                        + (options.contains { $0.name == "pipeline" } ? pipeline : "")
                }.joined() + functions
        }
    }

    /// The property with the fields behind it, as a table of options has them.
    private func described(_ property: LuaProperty, _ fields: [ScriptFields]) -> OptionDescription {
        var description = with(fields, property.description, of: "")
        if property.set == nil { description.limits = "Read only" }
        if description.type == "pipeline" {
            description.fields = classes[0].properties.map(\.description)
        }
        return description
    }

    private func with(
        _ all: [ScriptFields], _ option: OptionDescription, of owner: String
    ) -> OptionDescription {
        let name = owner + option.name
        guard let fields = all.first(where: { $0.name == name }) else { return option }
        var option = option
        option.fields = fields.fields.map { with(all, $0.description, of: "\(name).") }
        return option
    }

    /// The classes of the pipeline and of one of its stages.
    private var classes: [LuaClass] {
        ([ScriptPipeline.self, ScriptStage.self] as [Any.Type]).map { context.values.luaClass(of: $0) }
    }

    /// The part about the pipeline that follows its fields: its methods, and its stages.
    private var pipeline: String {
        let stage = classes[1]
        return methods(of: classes[0], as: "c.pipeline") + "\n### c.pipeline.NAME\n\n\(stage.documentation)\n"
            + OptionSections(stage.properties.map(\.description), kind: "field").table
            + methods(of: stage, as: "c.pipeline.NAME")
    }

    private var functions: String {
        let configuration = context.values.luaClass(of: ConfigurationDraft.self)
        return "\n## Methods\n" + methods(of: configuration, as: "c")
    }

    /// The methods of a class, with the options of each behind it.
    private func methods(of entry: LuaClass, as name: String) -> String {
        let rows = entry.methods.map { method in
            let signature = OptionMarkdown.signature(
                "\(name):\(method.name)\(method.signature)", method.options())
            return OptionMarkdown.row(
                "`\(OptionMarkdown.cell(signature))`", [OptionMarkdown.cell(method.documentation)])
        }
        return "\n| method | meaning |\n|---|---|\n" + rows.joined()
            + entry.methods.filter { !$0.options().isEmpty }.map { method in
                "\nOptions of `\(method.name)`:\n" + OptionSections(method.options(), kind: "option").table
            }.joined()
    }

    private static let heading = """
        # Configuration

        Every field of a configuration, which is the argument `c` of a
        [configuration block](../guides/configuration-blocks.md). Setting a field of a table, such as
        `c.timeouts.total`, leaves the other fields as they are. Assigning a table sets the fields that it names.

        ```lua
        api:configure("/users/**", function(c)
          c.expiration_time = 300
          c.timeouts.total = 20
          c.retry = { attempts = 4 }
          c.limits = { in_flight = 8, rate = { requests = 20, per = 1 } }
          c.redirects.follow = false
        end)
        ```

        A `?` behind a type means that nil is a value, too. The [Lua reference](lua-api.md) has types such as
        `headers`, `cache` and `draft`, and the [options of `rest.service`](lua-api.md#rest), which say how a
        service connects.

        This file is written by `resthost reference configuration > docs/reference/configuration.md`.

        """
}
