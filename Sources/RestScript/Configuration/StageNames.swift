import LuaRuntime
import RestEngine

/// `c.pipeline.order` in a block's hands. It is a list like any other, and what the block changes in it
/// counts as if it had been assigned.
struct StageOrderList {
    let draft: ConfigurationDraft
    let list: LuaReference
    /// What it said when it was last looked at.
    var names: [String]
}

extension PipelineBinding {
    /// Pushes the names of the stages; the same list while one block runs.
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

    /// What was done to an older list no longer counts.
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

    /// Looks at what the block that runs, or has just ended, did to its list.
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

    /// A stage that holds something and is left out of the order does not run (rule 16.5). The block that
    /// says so runs for every resource; once is enough.
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

    /// For a declaration that names a stage, when its block is run: by then the order is known.
    static func requireStage(
        _ name: StageName, of pipeline: Pipeline, at place: (file: String, line: Int)?
    ) throws(RequestError.CauseError) {
        guard let advice = name.advice(in: pipeline) else { return }
        throw RequestError.CauseError(
            .scriptError(.init(message: advice, file: place?.file, line: place?.line)))
    }
}
