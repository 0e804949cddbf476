/// Which pipeline made a resource's data. Data of a pipeline that a reload changed is stale (ARCHITECTURE.md, Four walks).
struct PipelineMark: Sendable {
    /// Of the pipeline; 0 for data that no pipeline made, or when nobody asked for marks.
    var fingerprint: UInt64 = 0
    /// Of the service, when the mark was made or last compared.
    var generation: Int = 0
    /// The data has to be made anew, whatever a server says of its age.
    var isOutdated = false
}

extension Pipeline {
    /// The same for pipelines that do the same: stages, their order, and their transformers. Caches keep what others
    /// made and have no part in it. Never 0.
    @EngineActor
    var fingerprint: UInt64 {
        var hasher = Hasher()
        for name in order {
            hasher.combine(name)
            for step in self[name].steps {
                hasher.combine(step.transformer.fingerprint)
                hasher.combine(step.contentTypes?.patterns)
            }
        }
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }
}

extension Transformer {
    public var fingerprint: UInt64 {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(type(of: self)))
        hasher.combine("\(self)")
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
