/// Writes the parts of an encoded entity front to back.
struct EntityWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func count(_ count: Int) throws(EntityCoding.Failure) {
        guard let count = UInt32(exactly: count) else { throw .tooLarge }
        number(count)
    }

    mutating func text(_ text: String) throws(EntityCoding.Failure) {
        try count(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func optional(_ text: String?) throws(EntityCoding.Failure) {
        number(UInt8(text == nil ? 0 : 1))
        if let text { try self.text(text) }
    }

    /// The last part needs no length.
    mutating func rest(_ kind: UInt8, _ content: some Collection<UInt8>) {
        bytes.reserveCapacity(bytes.count + 1 + content.count)
        bytes.append(kind)
        bytes.append(contentsOf: content)
    }

    mutating func patch(_ number: UInt64, at offset: Int) {
        Swift.withUnsafeBytes(of: number.littleEndian) { raw in
            bytes.replaceSubrange(offset..<offset + raw.count, with: raw)
        }
    }
}

/// Reads them; nil wherever the bytes end too early.
struct EntityReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard size <= bytes.count - offset else { return nil }
        defer { offset += size }
        return bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }

    mutating func text() -> String? {
        guard let count = number(UInt32.self), Int(count) <= bytes.count - offset else { return nil }
        defer { offset += Int(count) }
        return String(validating: bytes[offset..<offset + Int(count)], as: UTF8.self)
    }

    /// A text that may be missing, unlike bytes that do: those make this nil.
    mutating func optional() -> Optional<String?> {
        switch number(UInt8.self) {
        case 0: .some(nil)
        case 1: text().map { .some($0) }
        default: nil
        }
    }

    mutating func rest() -> ArraySlice<UInt8> {
        defer { offset = bytes.count }
        return bytes[offset...]
    }
}
