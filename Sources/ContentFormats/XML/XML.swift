package import RestEngine

/// XML with namespaces (Namespaces in XML 1.0), without document types that declare something.
///
/// An element is an object: `name`, `namespace` if it has one, `attributes`, `children` and `text`.
package enum XML {
    static let name = "XML"
    /// The namespace of the prefix `xml`, which no document declares.
    static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"

    /// The options of the decoder.
    package struct Options: Sendable {
        /// Keeps pieces of text as strings between the children, in the document's order.
        package var mixed = false
        /// Elements and attributes of the whole document.
        package var nodes = 1_000_000
        /// The encoding that the document has in spite of its declaration; nil: its own.
        package var encoding: String?
        package var limits = FormatLimits()

        package init() {}
    }

    /// Decodes a document.
    package static func decode(
        _ bytes: [UInt8], _ options: Options = Options(), stop: StopFlag = StopFlag()
    ) throws(FormatError) -> Tree {
        let decoder = XMLDecoder(options, stop)
        return try decoder.decode(bytes)
    }

    /// The text of an element, on one line.
    ///
    /// - Parameter declaration: Whether `<?xml …?>` is before it.
    package static func encode(
        _ tree: Tree, declaration: Bool = false, stop: StopFlag = StopFlag()
    ) throws(FormatError) -> [UInt8] {
        var writer = XMLWriter(stop)
        if declaration { writer.declaration() }
        try writer.element(tree, in: "")
        return writer.text
    }
}
