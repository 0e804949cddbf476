package import RestEngine

extension Tree {
    /// Bytes that are equal for equal values only, in JSON's sense: 1 is 1.0, and the order of an object's
    /// members doesn't count. Linear in the size of the value, apart from sorting members.
    package var canonicalForm: [UInt8] {
        var bytes: [UInt8] = []
        appendCanonicalForm(to: &bytes)
        return bytes
    }

    private func appendCanonicalForm(to bytes: inout [UInt8]) {
        switch kind {
        case .null: bytes.append(UInt8(ascii: "n"))
        case .boolean: bytes.append(UInt8(ascii: bool == true ? "t" : "f"))
        case .integer, .double: appendNumber(to: &bytes)
        case .string: Self.append(self.bytes ?? [], UInt8(ascii: "s"), to: &bytes)
        case .array:
            Self.append(count, UInt8(ascii: "a"), to: &bytes)
            for element in elements { element.appendCanonicalForm(to: &bytes) }
        case .object:
            Self.append(count, UInt8(ascii: "o"), to: &bytes)
            for (key, value) in pairs.sorted(by: { Name($0.key) < Name($1.key) }) {
                Self.append(key.utf8, UInt8(ascii: "k"), to: &bytes)
                value.appendCanonicalForm(to: &bytes)
            }
        case .table: Self.append(classless.encoded, UInt8(ascii: "l"), to: &bytes)
        }
    }

    private func appendNumber(to bytes: inout [UInt8]) {
        guard let number = ExactNumber(self) else {
            Self.append((double ?? 0).description.utf8, UInt8(ascii: "x"), to: &bytes)
            return
        }
        bytes.append(UInt8(ascii: number.isNegative ? "-" : "+"))
        Self.append(number.digits, UInt8(ascii: "d"), to: &bytes)
        Self.append(number.exponent, UInt8(ascii: "e"), to: &bytes)
    }

    private static func append(_ part: some Collection<UInt8>, _ tag: UInt8, to bytes: inout [UInt8]) {
        append(part.count, tag, to: &bytes)
        bytes.append(contentsOf: part)
    }

    private static func append(_ number: Int, _ tag: UInt8, to bytes: inout [UInt8]) {
        bytes.append(tag)
        Swift.withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Whether both are the same value in JSON's sense; see ``canonicalForm``.
    package func isSame(as other: Tree) -> Bool {
        switch (kind, other.kind) {
        case (.integer, .integer): int == other.int
        case (.string, .string): bytes == other.bytes
        case (.integer, .double), (.double, .integer), (.double, .double), (.array, .array),
            (.object, .object),
            (.table, .table):
            canonicalForm == other.canonicalForm
        case (let left, let right): left == right && bool == other.bool
        }
    }
}
