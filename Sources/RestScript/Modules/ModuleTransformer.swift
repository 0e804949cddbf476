import RestEngine

/// `"module.name"` as a stage's transformer: its function is called in a pool of states (lua-api, Transformers).
struct ModuleTransformer: OutsideTransformer {
    let pool: ModulePool
    let module: String
    /// What the script said where it declared it; nil: what the module says.
    let rules: ContentRules?
    /// What the script calls it.
    let name: String?

    nonisolated var place: any TransformerPlace { pool }

    nonisolated var description: String { description(pool.catalog[module]) }

    /// Of the module's files, as they were when it was loaded.
    var fingerprint: UInt64 {
        let version = pool.catalog[module]
        var hasher = Hasher()
        hasher.combine(module)
        hasher.combine(version?.files.hash)
        hasher.combine(rules(of: version))
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    nonisolated func mayChange(_ response: Response) -> Bool {
        response.error == nil || rules(of: pool.catalog[module]).transformErrors
    }

    nonisolated func rules(of version: ModuleVersion?) -> ContentRules {
        rules ?? version?.rules ?? ContentRules()
    }

    nonisolated func description(_ version: ModuleVersion?) -> String {
        name ?? rules(of: version).description ?? "module \(module)"
    }
}
