/// Why a resource is requested the way it is: the blocks that apply and what each changed, what would be
/// sent, and what the response would pass. Secrets are masked already; see ``SecretMask``.
public struct Explanation: Sendable {
    /// A configuration block that applies, or that would if it hadn't failed.
    public struct Block: Sendable {
        /// Its place in the order of adding, from 1; the engine's own count.
        public let number: Int
        /// As its author described it, else its pattern and its place.
        public let description: String
        /// `file:line`; nil for the engine's own.
        public let origin: String?
        /// The pattern as its author wrote it.
        public let pattern: String
        /// The methods that it is for, sorted; nil for all.
        public let methods: [String]?
        /// In the order of the fields; empty for a block that changed nothing.
        public internal(set) var changes: [Change] = []
        /// What it raised; then nothing of the rest applies.
        public internal(set) var failure: Failure?
    }

    /// What a block did to one field.
    public enum Change: Sendable, Equatable {
        /// A field has another value now; nil where there was or is nothing.
        case value(_ field: String, before: Tree?, after: Tree?)
        /// A function or transformer that the block added to a list.
        case added(_ field: String, Part)
        /// One of an earlier block, which this one took out.
        case removed(_ field: String, Part)
    }

    /// A mutator, decorator or transformer.
    public struct Part: Sendable, Equatable {
        /// Empty where the origin says all.
        public let description: String
        /// `file:line`; nil for the engine's own.
        public let origin: String?
        /// Of a transformer; nil for all.
        public let contentTypes: [String]?

        init(description: String, origin: String?, contentTypes: [String]? = nil) {
            self.description = description
            self.origin = origin
            self.contentTypes = contentTypes
        }
    }

    /// What a definition has of one kind, and which of its levels gave it.
    public struct Property: Sendable {
        /// What a level can give.
        public enum Kind: String, Sendable {
            case header, query, path, body, configuration
            case idempotencyKey = "idempotency_key"
            case queryStyle = "query_style"
        }

        /// Which of them it is.
        public let kind: Kind
        /// Of a header or a parameter, or the kind of the body; the place of a component, from 1.
        public let name: String
        /// As it would be sent; secrets are masked.
        public let value: String
        /// The last that said it.
        public let level: DefinitionLevel
    }

    /// What would be sent, with the mutators' work done.
    public struct Draft: Sendable {
        /// After mutation; it decides on decorators and stages (rule 14.20).
        public let method: String
        /// After mutation; secrets in it are masked.
        public let url: String
        /// In the order of sending, without those of the transport's framing; secrets are masked.
        public let headers: [(name: String, value: String)]
        /// Size of the body; nil for none, or for one that is read while it is sent.
        public let bodyBytes: Int?
    }

    /// A stage of the pipeline.
    public struct Stage: Sendable {
        /// As in the pipeline's order.
        public let name: String
        /// False: it holds something but is not in the order, so it does not run.
        public let isListed: Bool
        /// In order.
        public let transformers: [Part]
        /// How the cache describes itself; nil without one.
        public let cache: String?
    }

    /// Why the request would fail.
    public struct Failure: Sendable {
        /// What went wrong, in one sentence; secrets are masked.
        public let message: String
        /// Of the line that raised it; nil where that is unknown.
        public let file: String?
        /// Counted from 1.
        public let line: Int?
        /// The calls that led there, a line each.
        public let traceback: String?
    }

    /// The name of the service.
    public let service: String
    /// The URL, in which secrets are masked, as in all else.
    public let url: String
    /// As it was asked for; mutators may have changed it in ``draft``.
    public let method: String
    /// Those that apply, in order, the engine's own too.
    public internal(set) var blocks: [Block] = []
    /// Those that are for this URL, and for other methods only.
    public internal(set) var otherMethods: [Block] = []
    /// The result, field by field, without mutators, decorators and transformers.
    public internal(set) var settings: [(field: String, value: Tree)] = []
    /// Nil when it can't be made; then ``failures`` says why.
    public internal(set) var draft: Draft?
    /// Of a definition, in the order of kinds; of a resource none.
    public internal(set) var properties: [Property] = []
    /// In the order in which they run (14.20).
    public internal(set) var mutators: [Part] = []
    /// In the order in which they run; each gets the last one's request.
    public internal(set) var decorators: [Part] = []
    /// In the order of the pipeline, then those that it doesn't list.
    public internal(set) var stages: [Stage] = []
    /// Why nothing would be sent; empty where it would.
    public internal(set) var failures: [Failure] = []
}

extension Explanation.Failure {
    init(_ error: RequestError, _ mask: SecretMask) {
        let failure: RequestError.ScriptFailure? =
            switch error.cause {
            case .scriptError(let failure)?, .scriptLimit(_, _, _, let failure)?: failure
            default: nil
            }
        var known = error
        // The explanation says them already, and the place is told by itself.
        (known.url, known.method, known.place) = (nil, nil, nil)
        message = mask.line(failure?.message ?? known.description)
        file = failure?.file ?? error.place?.file
        line = failure?.line ?? error.place?.line
        traceback = failure?.traceback.map(mask.line)
    }
}
