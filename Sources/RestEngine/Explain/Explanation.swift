/// Explains how a resource is requested: the blocks that apply with the changes of each, the message that
/// would be sent, and the stages for the response. Secrets are masked; see ``SecretMask``.
public struct Explanation: Sendable {
    /// A configuration block that applies, or would apply if it hadn't failed.
    package struct Block: Sendable {
        /// Its position in the order of adding, from 1; the blocks of the engine count too.
        package let number: Int
        /// The description by its author, otherwise its pattern and source line.
        package let description: String
        /// `file:line`; nil for the engine's own.
        package let origin: String?
        /// The pattern as its author wrote it.
        package let pattern: String
        /// The methods that it is for, sorted; nil for all.
        package let methods: [String]?
        /// In the order of the fields; empty for a block that changed nothing.
        package internal(set) var changes: [Change] = []
        /// The error that it threw; then the rest of its changes and the later blocks do not apply.
        package internal(set) var failure: Failure?
    }

    /// The change of one field by a block.
    package enum Change: Sendable, Equatable {
        /// A field has a new value; nil stands for no value.
        case value(_ field: String, before: Tree?, after: Tree?)
        /// A function or transformer that the block added to a list.
        case added(_ field: String, Part)
        /// A function or transformer of an earlier block that this block removed.
        case removed(_ field: String, Part)
    }

    /// A mutator, decorator or transformer.
    package struct Part: Sendable, Equatable {
        /// Empty if the origin is enough.
        package let description: String
        /// `file:line`; nil for the engine's own.
        package let origin: String?
        /// The content types of a transformer; nil for all.
        package let contentTypes: [String]?

        init(description: String, origin: String?, contentTypes: [String]? = nil) {
            self.description = description
            self.origin = origin
            self.contentTypes = contentTypes
        }
    }

    /// One property of a definition, with the level that set it.
    package struct Property: Sendable {
        /// The kinds of properties.
        package enum Kind: String, Sendable {
            case header, query, path, body, configuration
            case idempotencyKey = "idempotency_key"
            case queryStyle = "query_style"
        }

        /// The kind of this property.
        package let kind: Kind
        /// The name of a header or parameter, or the kind of the body; for a path component its position,
        /// from 1.
        package let name: String
        /// The value as it would be sent; secrets are masked.
        package let value: String
        /// The last level that set it.
        package let level: DefinitionLevel
    }

    /// The message that would be sent, after the mutators.
    package struct Draft: Sendable {
        /// The method after mutation; it selects decorators and stages (rule 14.20).
        package let method: String
        /// The URL after mutation; secrets in it are masked.
        package let url: String
        /// In the order of sending, without the framing headers of the transport; secrets are masked.
        package let headers: [(name: String, value: String)]
        /// Size of the body; nil for none, or for one that is read while it is sent.
        package let bodyBytes: Int?
    }

    /// A stage of the pipeline.
    package struct Stage: Sendable {
        /// The name in the pipeline's order.
        package let name: String
        /// False: the stage is filled but not in the order, so it does not run.
        package let isListed: Bool
        /// In order.
        package let transformers: [Part]
        /// How the cache describes itself; nil without one.
        package let cache: String?
    }

    /// The making of a computed resource.
    package struct Computed: Sendable {
        /// A resource that it was made of.
        package struct Source: Sendable {
            /// Secrets in it are masked.
            package let url: String
            /// The time of the data that was used, in Unix seconds; nil if there was none.
            package let timestamp: Double?
        }

        /// The line of the declaration, `file:line`.
        package let origin: String?
        /// Whether new data of a source makes it stale.
        package let follows: Bool
        /// In the order in which the last computation read them; nil if it was not computed yet.
        package let sources: [Source]?
    }

    /// The reason why the request would fail.
    package struct Failure: Sendable {
        /// The fault, in one sentence; secrets are masked.
        package let message: String
        /// The file of the line that threw it; nil where that is unknown.
        package let file: String?
        /// Counted from 1.
        package let line: Int?
        /// The call stack, one call per line.
        package let traceback: String?
    }

    /// The name of the service.
    package let service: String
    /// The URL, in which secrets are masked, as in all else.
    package let url: String
    /// The requested method; mutators may have changed it in ``draft``.
    package let method: String
    /// The blocks that apply, in order, including those of the engine.
    package internal(set) var blocks: [Block] = []
    /// The blocks that match this URL, but only for other methods.
    package internal(set) var otherMethods: [Block] = []
    /// The result, field by field, without mutators, decorators and transformers.
    package internal(set) var settings: [(field: String, value: Tree)] = []
    /// Nil when it can't be made; ``failures`` then contains the reason.
    package internal(set) var draft: Draft?
    /// Nil for a resource that is not computed. There is no ``draft`` for a computed one.
    package internal(set) var computed: Computed?
    /// The properties of a definition, in the order of kinds; empty for a resource.
    package internal(set) var properties: [Property] = []
    /// In the order in which they run (14.20).
    package internal(set) var mutators: [Part] = []
    /// In the order in which they run; each gets the request of the one before.
    package internal(set) var decorators: [Part] = []
    /// In the order of the pipeline, followed by those that are not in the order.
    package internal(set) var stages: [Stage] = []
    /// The reasons why no request would be sent; empty if one would be.
    package internal(set) var failures: [Failure] = []
}

extension Explanation.Failure {
    init(_ error: RequestError, _ mask: SecretMask) {
        let failure: RequestError.ScriptFailure? =
            switch error.cause {
            case .scriptError(let failure)?, .scriptLimit(_, _, _, let failure)?: failure
            default: nil
            }
        var known = error
        // The explanation already contains URL and method, and the source line has a field of its own.
        (known.url, known.method, known.place) = (nil, nil, nil)
        message = mask.line(failure?.message ?? known.description)
        file = failure?.file ?? error.place?.file
        line = failure?.line ?? error.place?.line
        traceback = failure?.traceback.map(mask.line)
    }
}
