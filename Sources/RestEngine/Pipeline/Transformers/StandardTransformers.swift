/// A transformer of bytes. Of several in one stage the first that is for a content type has it to itself (guide
/// ThePipeline, Stages).
protocol StandardTransforming: PortableTransformer {
    /// A body of more bytes may take milliseconds, for which nobody shall wait who wants something else of the loop.
    nonisolated var largeSize: Int { get }
}

extension StandardTransforming {
    nonisolated var largeSize: Int { 256 << 10 }
}

/// The transformers that a service has unless it says otherwise, each a configuration block of its own
/// (rule 1.5).
public enum StandardTransformer: String, Sendable, CaseIterable {
    case json, text, image, ndjson

    /// What it is added for.
    public var contentTypes: [String] {
        switch self {
        case .json: ["*/json", "*/*+json"]
        case .text: ["text/*"]
        case .image: ["image/*"]
        // None is registered (ndjson.org, jsonlines.org).
        case .ndjson:
            ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"]
        }
    }

    /// As a service adds it.
    public var transformer: any Transformer {
        switch self {
        case .json: JSONTransformer()
        case .ndjson: NDJSONTransformer()
        case .text: TextTransformer()
        case .image: ImageTransformer()
        }
    }

    var entry: ConfigurationEntry {
        ConfigurationEntry(pattern: .all, description: "standard \(rawValue) transformer", isUniform: true) {
            draft in
            draft.configuration.pipeline["parsing"].add(transformer, contentTypes: contentTypes)
        }
    }
}
