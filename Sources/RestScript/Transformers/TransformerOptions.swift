import LuaRuntime
import Platform
import RestEngine

/// The options of `rest.content_transformer`.
struct ContentTransformerOptions {
    /// The index of the value on the stack.
    var transform: Int32 = 0
    var rules = GivenRules()

    private static let transform = ScriptOption<ContentTransformerOptions>.place(
        "transform", type: "transformer",
        "A function of content and entity, the name of a module that returns one, or a transformer."
    ) { $0.transform = $1 }.required(of: "content_transformer")

    private static let ofRules = GivenRules.fields.map {
        (field: ScriptOption<GivenRules>) -> ScriptOption<ContentTransformerOptions> in
        field.within { try $1(&$0.rules) }
    }

    static let schema = ScriptSchema<ContentTransformerOptions>([transform] + ofRules)
}

/// The options of `service:configure_transformer`.
struct ConfiguredTransformerOptions {
    var stage = StageName("model")
    var action = StageAction.replace
    var methods: Set<Method>?
    var contentTypes: [String]?
    var rules = GivenRules()

    private static let own: [ScriptOption<ConfiguredTransformerOptions>] = [
        .text("stage", .name, default: "\"model\"", "The stage that it is added to.") {
            $0.stage = StageName($1)
        },
        .init(
            "action", type: "\"replace\" | \"append\"", default: "\"replace\"",
            "Whether it replaces the stage's transformers or is added behind them."
        ) { options, given, _ in
            guard let name = try options.string("action") else { return }
            guard let action = StageAction(rawValue: name) else {
                throw OptionFault("is \"replace\" or \"append\", not \"\(name)\"")
            }
            given.action = action
        },
        .methods("The methods of requests whose content it gets; default: those that load content.") {
            $0.methods = $1
        },
        .oneOrMore("content_types", "The content types that it is for; default: all.") {
            $0.contentTypes = $1
        },
    ]

    private static let ofRules = GivenRules.fields.map {
        (field: ScriptOption<GivenRules>) -> ScriptOption<ConfiguredTransformerOptions> in
        field.within { try $1(&$0.rules) }
    }

    static let schema = ScriptSchema<ConfiguredTransformerOptions>(own + ofRules)
}

/// The options of `rest.transformers.json` and its kin.
struct StandardTransformerOptions {
    /// Nil means the transformer's own default.
    var transformErrors: Bool?
    var empty: Bool?
    var allowFragments = false
    var charset: String?

    static func schema(of standard: StandardTransformer) -> ScriptSchema<StandardTransformerOptions> {
        let further: [ScriptOption<StandardTransformerOptions>] =
            switch standard {
            case .json: [allowFragments]
            case .text: [charset]
            case .ndjson, .image: []
            }
        return ScriptSchema<StandardTransformerOptions>(
            [
                ScriptOption<StandardTransformerOptions>.flag(
                    "transform_errors", default: standard == .image ? "false" : "true",
                    "Transforms the bodies of errors too."
                ) { $0.transformErrors = $1 },
                ScriptOption<StandardTransformerOptions>.flag(
                    "empty", default: standard == .ndjson ? "true" : "false",
                    "Transforms a success without a body too."
                ) { $0.empty = $1 },
            ] + further)
    }

    private static let allowFragments = ScriptOption<StandardTransformerOptions>.flag(
        "allow_fragments", default: "false",
        "Accepts a text that is a single value, neither an object nor an array."
    ) { $0.allowFragments = $1 }

    private static let charset = ScriptOption<StandardTransformerOptions>.text(
        "charset", "The charset of the body, which overrides the response's own."
    ) { options, name in
        guard TextCharset(name) != nil else {
            throw LuaUsageError(
                "option 'charset': unknown charset '\(name)'"
                    + NearestName.advice(name, among: TextCharset.commonNames))
        }
        options.charset = name
    }
}
