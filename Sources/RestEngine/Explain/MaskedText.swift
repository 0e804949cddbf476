/// A text that may be shown, in which ``SecretMask`` has hidden the secrets. There is no other way to make
/// one, so code that shows something takes this and can't forget the mask (rule 47.1).
public struct MaskedText: Sendable, Hashable {
    /// In UTF-8 where the text was; a script may print any bytes.
    public let bytes: [UInt8]

    /// A text for people.
    public init(_ text: String) { bytes = Array(SecretMask.standard.line(text).utf8) }

    /// The output of a script, without the secrets that are known and passwords of URLs. Values with a
    /// secret's name are its data: somebody may read them from a pipe.
    public init(output bytes: [UInt8]) {
        self.bytes = bytes.withUnsafeBufferPointer { SecretMask.standard.masked($0, .nowhere) } ?? bytes
    }

    /// An object for programs, as JSON on one line. The values of what has a secret's name keep their type.
    public init(json tree: Tree) {
        // A tree that the program makes always has a form in JSON.
        bytes = (try? SecretMask.standard.tree(tree).json()) ?? Array("null".utf8)
    }

    private init(masked bytes: [UInt8]) { self.bytes = bytes }

    /// The same, written in another way: what moves a cursor, say, as an escape.
    public func escaped(_ escape: ([UInt8]) -> [UInt8]) -> MaskedText { MaskedText(masked: escape(bytes)) }

    /// The same with a line break behind it.
    public var ended: MaskedText { MaskedText(masked: bytes + [UInt8(ascii: "\n")]) }

    /// As text; of bytes that are none, replacement characters are left.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
