import RestEngine

/// `"module.name"` as a stage's transformer: its function is called in a pool of states; see <doc:TransformerModules>.
struct ModuleTransformer: OutsideTransformer {
    let pool: ModulePool
    let module: String
    /// What the script said where it declared it; nil: what the module says.
    let rules: ContentRules?
    /// What the script calls it.
    let name: String?

    var fingerprint: UInt64 {
        var hasher = Hasher()
        let version = pool.catalog[module]
        hasher.combine(module)
        hasher.combine(version?.files.hash.checksum)
        hasher.combine(rules(of: version))
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    nonisolated var place: any TransformerPlace { pool }

    nonisolated var description: String { description(pool.catalog[module]) }

    nonisolated var origin: String? { pool.catalog[module]?.path }

    nonisolated func mayChange(_ response: Response) -> Bool {
        let rules = rules(of: pool.catalog[module])
        return switch response {
        case .success(let entity): rules.empty || !entity.content.isNoBody
        case .failure: rules.transformErrors
        }
    }

    nonisolated func rules(of version: ModuleVersion?) -> ContentRules {
        rules ?? version?.rules ?? ContentRules()
    }

    nonisolated func description(_ version: ModuleVersion?) -> String {
        name ?? rules(of: version).description ?? "module \(module)"
    }
}
