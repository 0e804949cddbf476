/// The stages that a response goes through, in order (rules 16). A stage is identified by its name (D26).
public struct Pipeline: Sendable {
    /// Siesta's stages; the names have no special meaning (16.1).
    public static let defaultOrder: [StageName] = [.rawData, .decoding, .parsing, .model, .cleanup]

    /// Names of the stages that run. Stages that are not in the order keep their transformers but do not run
    /// (16.5).
    public private(set) var order: [StageName]
    /// The stages that were accessed: so few that a search is faster than hashing.
    private var stages: [Entry] = []
    /// Whether a transformer may run elsewhere; false for pipelines that run on the loop in one go.
    private(set) var hasOffloadedSteps = false

    /// The default stages, all empty.
    public init() { order = Self.defaultOrder }

    /// Sets the order; throws ``DuplicateStage`` when a name occurs twice (D22).
    public mutating func setOrder(_ names: [StageName]) throws(DuplicateStage) {
        var seen: Set<StageName> = []
        for name in names where !seen.insert(name).inserted { throw DuplicateStage(name: name) }
        order = names
    }

    /// A stage by its name; empty if no transformer or cache was added.
    public subscript(_ name: StageName) -> PipelineStage {
        get { stages.first { $0.name == name }?.stage ?? PipelineStage() }
        set {
            if let index = stages.firstIndex(where: { $0.name == name }) {
                stages[index].stage = newValue
            } else {
                stages.append(Entry(name: name, stage: newValue))
            }
            if newValue.hasOffloadedSteps { hasOffloadedSteps = true }
        }
    }

    /// Names of the stages that are filled but not in the order.
    package var unlistedStages: [StageName] {
        stages.filter { !$0.stage.isEmpty && !order.contains($0.name) }.map(\.name)
            .sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether it has only standard transformers.
    package var isStandard: Bool { order.allSatisfy { self[$0].steps.allSatisfy(\.isStandard) } }

    /// Removes the transformers of all stages; caches and order stay (16.7).
    public mutating func removeTransformers() {
        for index in stages.indices { stages[index].stage.removeTransformers() }
    }

    /// Removes the caches of all stages, so that no entity is stored (16.7, 22.21).
    public mutating func removeCaches() {
        for index in stages.indices { stages[index].stage.cache = nil }
    }

    /// Empties all stages; the order stays.
    public mutating func clear() { stages = [] }

    /// Names, and steps without their transformers. All resources share the patterns of standard steps.
    var heldBytes: Int {
        var bytes = 0
        for name in order { bytes += name.rawValue.utf8.count + 16 }
        for entry in stages {
            bytes += entry.name.rawValue.utf8.count + 64
            for step in entry.stage.steps {
                bytes += 128 + 16 * step.claimed.count
                let patterns = step.isStandard ? [] : step.contentTypes?.patterns ?? []
                for pattern in patterns { bytes += 2 * pattern.utf8.count + 64 }
            }
        }
        return bytes
    }

    private struct Entry: Sendable {
        let name: StageName
        var stage: PipelineStage
    }

    /// An order that names a stage twice.
    public struct DuplicateStage: Error, Sendable, CustomStringConvertible {
        /// The name of the stage.
        package let name: StageName
        public var description: String { "stage '\(name)' occurs twice in the pipeline's order" }
    }
}

/// A stage: transformers, run in the order of adding, then the cache that stores their output (rule 16.2).
public struct PipelineStage: Sendable {
    /// A transformer and the content types that it is for.
    package final class Step: Sendable {
        /// The transformer that gets the response.
        package let transformer: any Transformer
        /// The content types that it is for; nil for all.
        package let contentTypes: ContentTypeFilter?
        let placement: Placement
        fileprivate let isStandard: Bool
        /// A body with more bytes isn't transformed on the loop.
        private let largeSize: Int
        /// The content types of the standard transformers before this one, if it is a standard one: it leaves
        /// those types to them.
        fileprivate let claimed: [ContentTypeFilter?]

        init(_ transformer: any Transformer, _ contentTypes: ContentTypeFilter?, behind steps: [Step] = []) {
            self.transformer = transformer
            self.contentTypes = contentTypes
            if let standard = Self.standard(transformer) {
                isStandard = true
                claimed = steps.filter(\.isStandard).map(\.contentTypes)
                largeSize = standard.largeSize
                placement = .portable(standard)
                return
            }
            isStandard = false
            claimed = []
            largeSize = .max
            placement =
                switch transformer {
                case let placed as any PlacedTransformer: placed.placement
                case let portable as any PortableTransformer: .portable(portable)
                default: .loop
                }
        }

        /// Tests the concrete types: every service has all of them, and the runtime takes long to test
        /// whether a type conforms to a protocol.
        private static func standard(_ transformer: any Transformer) -> (any StandardTransforming)? {
            switch transformer {
            case let json as JSONTransformer: json
            case let lines as NDJSONTransformer: lines
            case let text as TextTransformer: text
            case let image as ImageTransformer: image
            case let format as FormatTransformer: format
            default: nil
            }
        }

        /// Whether it can run nowhere else.
        var isBoundToLoop: Bool {
            switch placement {
            case .loop, .gradual: true
            case .portable, .threaded, .offloaded: false
            }
        }

        func isLarge(_ response: Response) -> Bool { LargeContent.size(of: response) > largeSize }

        func accepts(_ type: KnownContentType) -> Bool {
            guard contentTypes?.matches(type) ?? true else { return false }
            for other in claimed where other?.matches(type) ?? true { return false }
            return true
        }
    }

    /// Where a step can run.
    package enum Placement: Sendable {
        case loop
        case gradual(any GradualTransformer)
        case portable(any PortableTransformer)
        case threaded(any ThreadedTransformer)
        case offloaded(any OffloadedTransformer)
    }

    /// The transformers, in the order of adding.
    package private(set) var steps: [Step] = []
    /// Stores the output of the transformers; nil for none.
    public var cache: (any EntityCache)?

    /// Whether it has neither transformers nor a cache.
    package var isEmpty: Bool { steps.isEmpty && cache == nil }

    var hasOffloadedSteps: Bool {
        steps.contains {
            switch $0.placement {
            case .offloaded, .threaded: true
            case .loop, .gradual, .portable: false
            }
        }
    }

    /// Adds a transformer after the others, for some content types or for all.
    public mutating func add(_ transformer: any Transformer, contentTypes: [String]? = nil) {
        steps.append(Step(transformer, contentTypes.map(ContentTypeFilter.init), behind: steps))
    }

    /// Adds a transformer before the others. Standard ones leave its content types to it.
    package mutating func addFirst(_ transformer: any Transformer, contentTypes: [String]) {
        let others = steps
        steps = [Step(transformer, ContentTypeFilter(contentTypes))]
        for other in others { steps.append(Step(other.transformer, other.contentTypes, behind: steps)) }
    }

    /// Removes the transformers; the cache stays.
    public mutating func removeTransformers() { steps = [] }

    mutating func replace(_ steps: [Step]) { self.steps = steps }
}

/// Identifies the pipeline that made a resource's data. Data of a pipeline that a reload has changed is stale
/// (ARCHITECTURE.md, Four walks).
struct PipelineVersion: Sendable {
    /// The fingerprint of the pipeline; 0 for data that no pipeline made, or if the fingerprint was not
    /// requested.
    var fingerprint: UInt64 = 0
    /// The generation of the service when this was made or last compared.
    var generation: Int = 0
    /// Whether the data must be loaded again, even if a server says that it is fresh.
    var isOutdated = false
}

extension Pipeline {
    /// Equal for pipelines with the same effect: stages, their order, and their transformers. Caches only
    /// store outputs and do not count. Never 0.
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

/// A transformer that declares where it runs. One protocol for all kinds, because each test whether a type
/// conforms to a protocol takes a tenth of a millisecond.
package protocol PlacedTransformer: Transformer {
    nonisolated var placement: PipelineStage.Placement { get }
}

extension OffloadedTransformer {
    package nonisolated var placement: PipelineStage.Placement { .offloaded(self) }
}

extension ThreadedTransformer {
    package nonisolated var placement: PipelineStage.Placement { .threaded(self) }
}

extension GradualTransformer {
    package nonisolated var placement: PipelineStage.Placement { .gradual(self) }
}

extension Transformer {
    public var fingerprint: UInt64 {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(type(of: self)))
        hasher.combine("\(self)")
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
