/// A text that may be shown, in which ``SecretMask`` has hidden the secrets. It can't be made otherwise, so
/// code that takes a MaskedText can't forget the mask (rule 47.1).
package struct MaskedText: Sendable, Hashable {
    /// In UTF-8 if the text was; a script may print any bytes.
    package let bytes: [UInt8]

    /// A text for people.
    package init(_ text: String) { bytes = Array(SecretMask.standard.line(text).utf8) }

    /// The output of a script, with known secrets and passwords of URLs masked. Values with a secret name are
    /// kept, because they are data that other programs may read from a pipe.
    package init(output bytes: [UInt8]) {
        self.bytes = bytes.withUnsafeBufferPointer { SecretMask.standard.masked($0, .nowhere) } ?? bytes
    }

    /// An object for programs, as JSON on one line. Values with a secret name keep their type.
    package init(json tree: Tree) {
        // The program's own trees can always be written as JSON.
        bytes = (try? SecretMask.standard.tree(tree).json()) ?? Array("null".utf8)
    }

    private init(masked bytes: [UInt8]) { self.bytes = bytes }

    /// The same text in another form, for example with escapes for control characters.
    package func escaped(_ escape: ([UInt8]) -> [UInt8]) -> MaskedText { MaskedText(masked: escape(bytes)) }

    /// The same with a line break behind it.
    package var ended: MaskedText { MaskedText(masked: bytes + [UInt8(ascii: "\n")]) }

    /// The bytes as text; invalid bytes become replacement characters.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
