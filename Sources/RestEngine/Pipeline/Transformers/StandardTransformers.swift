/// A transformer of bytes. Of several in one stage the first that is for a content type has it to itself (lua-api,
/// Pipeline).
protocol StandardTransforming: PortableTransformer {}

/// The transformers that a service has unless it says otherwise, each a configuration block of its own
/// (siesta-semantics 1.5).
public enum StandardTransformer: String, Sendable, CaseIterable {
    case json, text, image

    /// What it is added for.
    public var contentTypes: [String] {
        switch self {
        case .json: ["*/json", "*/*+json"]
        case .text: ["text/*"]
        case .image: ["image/*"]
        }
    }

    /// As a service adds it.
    public var transformer: any Transformer {
        switch self {
        case .json: JSONTransformer()
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
