package import RestEngine

extension Tree {
    /// Bytes that are equal for equal values only, in JSON's sense: 1 is 1.0, and the order of an object's
    /// members doesn't count. Linear in the size of the value, apart from sorting members.
    ///
    /// - Parameter poll: Is called now and then, and ends the work by an error.
    package func canonicalForm<Failure: Error>(
        poll: () throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        try appendCanonicalForm(to: &bytes, poll)
        return bytes
    }

    /// The same for small values, such as those of a schema.
    package var canonicalForm: [UInt8] { canonicalForm(poll: {}) }

    private func appendCanonicalForm<Failure: Error>(
        to bytes: inout [UInt8], _ poll: () throws(Failure) -> Void
    ) throws(Failure) {
        switch kind {
        case .null: bytes.append(UInt8(ascii: "n"))
        case .boolean: bytes.append(UInt8(ascii: bool == true ? "t" : "f"))
        case .integer, .double: appendNumber(to: &bytes)
        case .string: Self.append(self.bytes ?? [], UInt8(ascii: "s"), to: &bytes)
        case .array:
            try poll()
            Self.append(count, UInt8(ascii: "a"), to: &bytes)
            for (index, element) in elements.enumerated() {
                if index % 256 == 255 { try poll() }
                try element.appendCanonicalForm(to: &bytes, poll)
            }
        case .object:
            try poll()
            Self.append(count, UInt8(ascii: "o"), to: &bytes)
            let members = pairs.map { (name: Name($0.key), value: $0.value) }.sorted { $0.name < $1.name }
            for (index, member) in members.enumerated() {
                if index % 256 == 255 { try poll() }
                Self.append(member.name.text.utf8, UInt8(ascii: "k"), to: &bytes)
                try member.value.appendCanonicalForm(to: &bytes, poll)
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

    /// Whether both are the same value in JSON's sense; see ``canonicalForm(poll:)``.
    package func isSame<Failure: Error>(
        as other: Tree, poll: () throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        switch (kind, other.kind) {
        case (.integer, .integer): return int == other.int
        case (.string, .string): return bytes == other.bytes
        case (.integer, .double), (.double, .integer), (.double, .double), (.array, .array),
            (.object, .object), (.table, .table):
            return try canonicalForm(poll: poll) == other.canonicalForm(poll: poll)
        case (let left, let right): return left == right && bool == other.bool
        }
    }

    /// The same for small values.
    package func isSame(as other: Tree) -> Bool { isSame(as: other, poll: {}) }
}
