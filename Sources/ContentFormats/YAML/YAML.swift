package import RestEngine

/// YAML with the core schema of YAML 1.2.
package enum YAML {
    static let name = "YAML"

    /// The options of the decoder.
    package struct Options: Sendable {
        /// Reads any number of documents into an array; otherwise a second one is an error.
        package var documents = false
        package var limits = FormatLimits()

        package init() {}
    }

    /// Decodes a text. Keys are scalars, and have the text that they are written with.
    package static func decode(
        _ text: [UInt8], _ options: Options = Options(), stop: StopFlag = StopFlag()
    ) throws(FormatError) -> Tree {
        var decoder = YAMLDecoder(text, options, stop)
        return try decoder.decode()
    }

    /// Block style, with quotes where a text would be read as something else.
    package static func encode(_ tree: Tree, stop: StopFlag = StopFlag()) throws(FormatError) -> [UInt8] {
        var writer = YAMLWriter(stop)
        try writer.document(tree)
        return writer.text
    }
}
