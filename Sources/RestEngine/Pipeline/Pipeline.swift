/// The stages that a response passes, in order (siesta-semantics 16). A stage is its name (D26).
public struct Pipeline: Sendable {
    public static let defaultOrder = ["raw_data", "decoding", "parsing", "model", "cleanup"]

    /// Names of the stages that run. Stages left out keep their transformers but do not run (16.5).
    public private(set) var order: [String]
    private var stages: [String: PipelineStage] = [:]

    public init() { order = Self.defaultOrder }

    /// Sets the order; throws ``DuplicateStage`` when a name occurs twice (D22).
    public mutating func setOrder(_ names: [String]) throws(DuplicateStage) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted { throw DuplicateStage(name: name) }
        order = names
    }

    public subscript(_ name: String) -> PipelineStage {
        get { stages[name] ?? PipelineStage() }
        set { stages[name] = newValue }
    }

    /// Names of the stages that hold something but are not in the order.
    public var unlistedStages: [String] {
        stages.filter { !$0.value.isEmpty && !order.contains($0.key) }.map(\.key).sorted()
    }

    public mutating func removeTransformers() {
        for name in stages.keys { stages[name]?.removeTransformers() }
    }

    public mutating func removeCaches() {
        for name in stages.keys { stages[name]?.cache = nil }
    }

    public mutating func clear() { stages = [:] }

    public struct DuplicateStage: Error, Sendable, CustomStringConvertible {
        public let name: String
        public var description: String { "stage '\(name)' occurs twice in the pipeline's order" }
    }
}

/// A stage: transformers, run in the order of adding, then the cache that keeps what they made (siesta-semantics 16.2).
public struct PipelineStage: Sendable {
    public struct Step: Sendable {
        public let transformer: any Transformer
        /// Nil: every content type.
        public let contentTypes: ContentTypeFilter?
    }

    public private(set) var steps: [Step] = []
    public var cache: (any EntityCache)?

    public var isEmpty: Bool { steps.isEmpty && cache == nil }

    public mutating func add(_ transformer: any Transformer, contentTypes: [String]? = nil) {
        steps.append(Step(transformer: transformer, contentTypes: contentTypes.map(ContentTypeFilter.init)))
    }

    public mutating func removeTransformers() { steps = [] }
}
