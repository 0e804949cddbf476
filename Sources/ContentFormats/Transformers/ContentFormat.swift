package import RestEngine

/// A format whose bodies a service decodes when a script asks for it.
package enum ContentFormat: String, Sendable, CaseIterable {
    case xml, csv, yaml, msgpack, cbor

    /// The content types of its bodies.
    package var contentTypes: [String] {
        switch self {
        case .xml: ["*/xml", "*/*+xml"]
        case .csv: ["text/csv", "text/tab-separated-values"]
        // RFC 9512, and the names from before it.
        case .yaml: ["application/yaml", "*/*+yaml", "text/yaml", "application/x-yaml", "text/x-yaml"]
        case .msgpack:
            ["application/msgpack", "application/vnd.msgpack", "application/x-msgpack", "*/*+msgpack"]
        case .cbor: ["application/cbor", "*/*+cbor"]
        }
    }

    /// The transformer with the usual options.
    package var transformer: FormatTransformer { FormatTransformer(decoder) }

    private var decoder: FormatTransformer.Decoder {
        switch self {
        case .xml: .xml()
        case .csv: .csv()
        case .yaml: .yaml()
        case .msgpack: .binary(.messagePack)
        case .cbor: .binary(.cbor)
        }
    }

    /// The block that adds it to all pipelines, ahead of the text transformer, which takes `text/*`.
    package var entry: ConfigurationEntry {
        ConfigurationEntry(pattern: .all, description: "standard \(rawValue) transformer", isUniform: true) {
            draft in
            draft.configuration.pipeline["parsing"].addFirst(transformer, contentTypes: contentTypes)
        }
    }
}

extension FormatTransformer.Decoder {
    /// - Parameter options: Its own limits of depth and nodes count; that of bytes is the pipeline's.
    package static func xml(_ options: XML.Options = XML.Options()) -> Self {
        Self(options.mixed ? "xml (mixed)" : "xml", isText: true, isJSON: true) {
            bytes, limits throws(FormatError) in
            var options = options
            options.limits.bytes = limits.bytes
            // The charset has been decoded.
            options.encoding = "UTF-8"
            return try XML.decode(bytes, options)
        }
    }

    package static func csv(_ options: CSV.Options = CSV.Options()) -> Self {
        Self("csv\(options.difference)", isText: true, isJSON: true) { bytes, limits throws(FormatError) in
            var options = options
            options.limits.bytes = limits.bytes
            return try CSV.decode(bytes, options)
        }
    }

    package static func yaml(_ options: YAML.Options = YAML.Options()) -> Self {
        Self(options.documents ? "yaml (documents)" : "yaml", isText: true, isJSON: false) {
            bytes, limits throws(FormatError) in
            var options = options
            options.limits.bytes = limits.bytes
            return try YAML.decode(bytes, options)
        }
    }

    package static func binary(
        _ format: BinaryFormat, _ options: BinaryFormat.Options = BinaryFormat.Options()
    ) -> Self {
        let name = format == .cbor ? "cbor" : "msgpack"
        return Self(options.sequence ? "\(name) (sequence)" : name, isText: false, isJSON: false) {
            bytes, limits throws(FormatError) in
            var options = options
            options.limits.bytes = limits.bytes
            return try format.decode(bytes, options)
        }
    }
}

extension CSV.Options {
    /// The options that are not the usual ones, for the description.
    fileprivate var difference: String {
        var parts: [String] = []
        if header != .row { parts.append("header \(header)") }
        if separator != UInt8(ascii: ",") { parts.append("separator \(separator)") }
        if ragged { parts.append("ragged") }
        for (name, kind) in types.sorted(by: { $0.key < $1.key }) { parts.append("\(name) \(kind.rawValue)") }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }
}
