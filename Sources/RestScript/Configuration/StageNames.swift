import LuaRuntime
import RestEngine

/// `c.pipeline.order` as the list that a block has read. A change of the list counts as an assignment.
struct StageOrderList {
    let draft: ConfigurationDraft
    let list: LuaReference
    /// The names at the last comparison.
    var names: [String]
}

extension PipelineBinding {
    /// Pushes the names of the stages. One run of a block always gets the same list.
    func pushStageOrder(of draft: ConfigurationDraft, on lua: Lua) throws {
        try takeStageOrder()
        let names = draft.configuration.pipeline.order.map(\.rawValue)
        if let known = context.blocks.current?.order, known.draft === draft, known.names == names {
            return lua.push(known.list)
        }
        lua.newTable(array: Int32(names.count))
        for (index, name) in names.enumerated() {
            lua.push(name)
            lua.rawSet(-2, index + 1)
        }
        guard !draft.isFrozen else { return lua.freeze { _ in throw ConfigurationDraft.isFrozenError } }
        context.blocks.current?.order = StageOrderList(draft: draft, list: lua.reference(-1), names: names)
    }

    /// Sets the order. Changes of an earlier list no longer count.
    func setStageOrder(_ names: [String], of draft: ConfigurationDraft, at place: String?) throws {
        context.blocks.current?.order = nil
        defer { warn(ofUnlisted: draft.configuration.pipeline.unlistedStages, at: place) }
        try draft.edit { configuration in
            do throws(Pipeline.DuplicateStage) {
                try configuration.pipeline.setOrder(names.map { StageName($0) })
            } catch {
                throw LuaUsageError(error.description)
            }
        }
    }

    /// Takes over changes that the running block, or the block that has just ended, made to its list.
    func takeStageOrder(at place: String? = nil) throws {
        guard var given = context.blocks.current?.order else { return }
        let lua = state.main
        lua.push(given.list)
        defer { lua.pop() }
        let names = try lua.strings(-1, "order")
        guard names != given.names else { return }
        try setStageOrder(names, of: given.draft, at: place)
        given.names = names
        context.blocks.current?.order = given
    }

    /// Warns of a stage that has transformers or a cache and is missing in the order, so it does not run
    /// (rule 16.5). A block runs for every resource, and one warning is enough.
    private func warn(ofUnlisted stages: [StageName], at place: String?) {
        guard !stages.isEmpty else { return }
        guard context.blocks.mayWarn(of: place) else { return }
        let names = stages.map { "'\($0)'" }.joined(separator: ", ")
        options.log(
            ScriptLogEntry(
                level: .warn,
                text:
                    "the pipeline's order leaves out \(names), which holds transformers or a cache: they won't run",
                place: place))
    }

    /// Checks the stage that a declaration names. It is called when the block runs, because the order is
    /// known then.
    static func requireStage(
        _ name: StageName, of pipeline: Pipeline, at place: (file: String, line: Int)?
    ) throws(RequestError.CauseError) {
        guard let advice = name.advice(in: pipeline) else { return }
        throw RequestError.CauseError(
            .scriptError(.init(message: advice, file: place?.file, line: place?.line)))
    }
}
