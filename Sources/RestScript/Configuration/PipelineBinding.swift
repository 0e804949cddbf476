import LuaRuntime
import Platform
import RestEngine

/// `c.pipeline` and `c.pipeline.stage` as Lua objects.
@EngineActor
final class ScriptPipeline: @EngineActor LuaObject {
    let draft: ConfigurationDraft
    init(_ draft: ConfigurationDraft) { self.draft = draft }

    var keptBytes: Int { draft.heldBytes }
}

@EngineActor
final class ScriptStage: @EngineActor LuaObject {
    let draft: ConfigurationDraft
    let name: StageName
    init(_ draft: ConfigurationDraft, _ name: StageName) {
        self.draft = draft
        self.name = name
    }

    var keptBytes: Int { draft.heldBytes + name.rawValue.utf8.count }

    /// The content types that a transformer is added for; nil means all.
    nonisolated static let addOptions = ScriptSchema<[String]?>([
        .oneOrMore("content_types", "The content types that it is for; default: all.") { $0 = $1 }
    ])
}

struct PipelineBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(classes: [
            show(ScriptPipeline.self, as: makePipelineClass), show(ScriptStage.self, as: makeStageClass),
        ])
    }

    func makePipelineClass() -> LuaClass {
        LuaClass(
            "pipeline",
            documentation: "The stages by name. A name that is not in use yet gives an empty stage.",
            methods: [
                method("clear", "()", "Removes the transformers and caches of all stages.") { call in
                    try call.receiver(as: ScriptPipeline.self).draft.edit { $0.pipeline.clear() }
                    return .none
                },
                method("remove_transformers", "()", "Removes the transformers of all stages.") { call in
                    try call.receiver(as: ScriptPipeline.self).draft.edit { $0.pipeline.removeTransformers() }
                    return .none
                },
                method("remove_caches", "()", "Removes the caches of all stages.") { call in
                    try call.receiver(as: ScriptPipeline.self).draft.edit { $0.pipeline.removeCaches() }
                    return .none
                },
            ],
            properties: [
                property(
                    "order", "string[]", "Names of the stages that run; a name may occur once.",
                    { call in
                        try pushStageOrder(of: try call.receiver(as: ScriptPipeline.self).draft, on: call.lua)
                        return .one
                    },
                    set: { call in
                        let names = try call.lua.strings(try call.table(1, "order"), "order")
                        let place = call.place
                        try setStageOrder(
                            names, of: try call.receiver(as: ScriptPipeline.self).draft, at: place)
                        return .none
                    })
            ],
            index: hostFunction { call in
                let pipeline = try call.receiver(as: ScriptPipeline.self)
                let name = try call.text(1, "stage", .name)
                try takeStageOrder()
                if let advice = StageName(name).advice(in: pipeline.draft.configuration.pipeline) {
                    throw LuaUsageError(advice)
                }
                values.push(ScriptStage(pipeline.draft, StageName(name)), on: call.lua)
                return .one
            })
    }

    func makeStageClass() -> LuaClass {
        LuaClass(
            "stage",
            documentation:
                "A stage of the pipeline: transformers in the order of adding, then a cache for their result.",
            methods: [
                method(
                    "add", "(transformer, options?: { ... }) -> stage",
                    "Adds a transformer, for all content types or for some.",
                    options: ScriptStage.addOptions.descriptions
                ) { call in
                    let stage = try call.receiver(as: ScriptStage.self)
                    var types: [String]?
                    try call.options(2).read(ScriptStage.addOptions, into: &types)
                    let transformers = TransformerBinding(context: context)
                    let transformer = try transformers.transformer(
                        call.lua, call.slot(1), what: "the transformer")
                    try stage.draft.edit { $0.pipeline[stage.name].add(transformer, contentTypes: types) }
                    call.lua.pushValue(at: 1)
                    return .one
                },
                method("remove_transformers", "() -> stage", "Removes its transformers.") { call in
                    let stage = try call.receiver(as: ScriptStage.self)
                    try stage.draft.edit { $0.pipeline[stage.name].removeTransformers() }
                    call.lua.pushValue(at: 1)
                    return .one
                },
            ],
            properties: [
                property(
                    "cache", "cache?", "The cache for the stage's result; assign nil to remove it.",
                    { call in
                        let stage = try call.receiver(as: ScriptStage.self)
                        if let cache = stage.draft.configuration.pipeline[stage.name].cache {
                            CacheBinding(context: context).push(cache, on: call.lua)
                        } else {
                            call.lua.pushNil()
                        }
                        return .one
                    },
                    set: { call in
                        let stage = try call.receiver(as: ScriptStage.self)
                        let cache = call.isAbsent(1) ? nil : try CacheBinding.cache(call, 1, "cache")
                        try stage.draft.edit { $0.pipeline[stage.name].cache = cache }
                        return .none
                    })
            ],
            tostring: { ($0 as? ScriptStage).map { "stage \($0.name)" } ?? "stage" },
            // Any name that the pipeline does not know is a stage, so a misspelled method is one, too.
            call: hostFunction { call in
                throw values.luaClass(of: ScriptPipeline.self).unknownField(
                    try call.receiver(as: ScriptStage.self).name.rawValue)
            })
    }
}
