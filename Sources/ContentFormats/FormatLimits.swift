import RestEngine

/// The limits of a decoder of this module.
package struct FormatLimits: Sendable, Equatable {
    /// Arrays, objects or elements inside each other.
    package var depth: Int
    /// Bytes of the value that is made.
    package var bytes: Int

    /// The depth that a script may ask for.
    package static let mostDepth = 512

    /// The usual limits: 256 levels deep, 256 MiB.
    package init(depth: Int = 256, bytes: Int = 256 << 20) {
        (self.depth, self.bytes) = (depth, bytes)
    }

    func requireDepth(_ depth: Int, _ format: String, at place: @autoclosure () -> FormatError.Place)
        throws(FormatError)
    {
        guard depth > self.depth else { return }
        throw FormatError(format, at: place(), "it is nested more than \(self.depth) levels deep")
    }

    func requireBytes(_ bytes: Int, _ format: String, at place: @autoclosure () -> FormatError.Place)
        throws(FormatError)
    {
        guard bytes > self.bytes else { return }
        throw FormatError(
            format, at: place(), "its value is larger than \(self.bytes) bytes", isTooLarge: true)
    }
}

extension Tree {
    /// Whether it is an array, or an empty table of a script, which is no more an object than an array.
    var isList: Bool { kind == .array || kind == .object && count == 0 }
}
