import ContentFormats
import LuaRuntime
import Platform
import RestEngine

/// `rest.yaml`.
struct YAMLBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(tables: [
            ModuleTable(
                name: "rest.yaml",
                functions: [
                    ModuleFunction(
                        "decode", signature: "(text: string, options?: { ... }) -> value | nil, message",
                        documentation: """
                            The value of a YAML text by the core schema of YAML 1.2. Keys are strings, as they \
                            are written. A key that occurs twice is an error.
                            """,
                        options: Self.reading.descriptions
                    ) { call in
                        let text = try call.rawBytes(1, "text")
                        var given = YAML.Options()
                        try call.options(2).read(Self.reading, into: &given)
                        given.limits = limits(depth: given.limits.depth)
                        return try push(call.lua) { stop throws(FormatError) in
                            try YAML.decode(text, given, stop: stop)
                        }
                    },
                    ModuleFunction(
                        "encode", signature: "(value) -> string",
                        documentation:
                            "A YAML text of a value, which parsers of YAML 1.1 read in the same way."
                    ) { call in try pushText(of: call, as: "YAML", YAML.encode(_:stop:)) },
                ])
        ])
    }

    static let options: [ScriptOption<YAML.Options>] = [
        .flag("documents", default: "false", "Gives a list of all documents; otherwise there is one at most.")
        {
            $0.documents = $1
        },
        .depth("Lists and tables inside each other.") { $0.limits.depth = $1 },
    ]

    private static let reading = ScriptSchema(options)
}
