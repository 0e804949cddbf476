import ContentFormats
import LuaRuntime
import Platform
import RestEngine

/// `rest.transformers.xml` and its kin.
struct FormatTransformers: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(tables: [
            ModuleTable(
                name: "rest.transformers",
                functions: [
                    function(.xml, from: XML.Options(), XMLBinding.options) { .xml($0) },
                    function(.csv, from: CSV.Options(), CSVBinding.options) { .csv($0) },
                    function(.yaml, from: YAML.Options(), YAMLBinding.options) { .yaml($0) },
                    function(.msgpack, from: BinaryFormat.Options(), BinaryFormat.Options.fields) {
                        .binary(.messagePack, $0)
                    },
                    function(.cbor, from: BinaryFormat.Options(), BinaryFormat.Options.fields) {
                        .binary(.cbor, $0)
                    },
                ])
        ])
    }

    /// The options of any transformer, and those of a format.
    private struct Given<Options: Sendable>: Sendable {
        var transformErrors = true
        var empty = false
        var own: Options
    }

    private func function<Options: Sendable>(
        _ format: ContentFormat, from start: Options, _ fields: [ScriptOption<Options>],
        _ decoder: @escaping (Options) -> FormatTransformer.Decoder
    ) -> ModuleFunction {
        let common: [ScriptOption<Given<Options>>] = [
            .flag("transform_errors", default: "true", "Transforms the bodies of errors too.") {
                $0.transformErrors = $1
            },
            .flag("empty", default: "false", "Transforms a success without a body too.") { $0.empty = $1 },
        ]
        let schema = ScriptSchema<Given<Options>>(
            common + fields.map { field in field.within { try $1(&$0.own) } })
        return ModuleFunction(
            format.rawValue, "(options?: { ... }) -> transformer",
            "The \(format.rawValue) transformer, which services don't have by default.",
            options: schema.descriptions
        ) { call in
            var given = Given(own: start)
            try call.options(1).read(schema, into: &given)
            let transformer = FormatTransformer(
                decoder(given.own), transformErrors: given.transformErrors, transformEmpty: given.empty)
            values.push(ScriptTransformerBox(transformer), on: call.lua)
            return .one
        }
    }
}
