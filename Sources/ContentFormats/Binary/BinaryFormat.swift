package import RestEngine

/// MessagePack and CBOR. Both hold the same values, which two tables of first bytes tell apart; libraries for
/// them would build values of their own first.
package enum BinaryFormat: Sendable {
    case messagePack
    case cbor

    var name: String { self == .cbor ? "CBOR" : "MessagePack" }

    /// The options of the decoder.
    package struct Options: Sendable {
        /// Reads any number of values into an array; otherwise bytes behind the first are an error.
        package var sequence = false
        package var limits = FormatLimits()

        package init() {}
    }

    /// Decodes a value. A map with keys that are not texts becomes a general table.
    package func decode(
        _ bytes: [UInt8], _ options: Options = Options(), stop: StopFlag = StopFlag()
    ) throws(FormatError) -> Tree {
        var builder = BinaryBuilder(bytes, self, options, stop)
        if options.sequence {
            builder.tree.beginArray()
            while !builder.isAtEnd { try read(&builder) }
            builder.tree.end()
        } else {
            try read(&builder)
            guard builder.isAtEnd else {
                throw builder.fault("the value ends here, and \(builder.remaining) bytes follow")
            }
        }
        return builder.tree.finish()
    }

    private func read(_ builder: inout BinaryBuilder) throws(FormatError) {
        switch self {
        case .messagePack: try builder.readMessagePack(depth: 0)
        case .cbor: try builder.readCBOR(depth: 0)
        }
    }

    /// The bytes of a value.
    ///
    /// - Parameter binary: Whether strings are bytes even if they are UTF-8; keys are texts in any case.
    package func encode(
        _ tree: Tree, binary: Bool = false, stop: StopFlag = StopFlag()
    ) throws(FormatError) -> [UInt8] {
        switch self {
        case .messagePack:
            var writer = MessagePackWriter(isBinary: binary, stop)
            try writer.write(tree, depth: 0)
            return writer.bytes
        case .cbor:
            var writer = CBORWriter(isBinary: binary, stop)
            try writer.write(tree, depth: 0)
            return writer.bytes
        }
    }
}
