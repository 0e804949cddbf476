/// A position in a tree while it is encoded.
struct TreeWriter {
    final class Options: Sendable {
        let encoder: TreeEncoder
        init(_ encoder: TreeEncoder) { self.encoder = encoder }
    }

    let slot: TreeSlot
    let path: CodingPath
    let options: Options
    /// The key style of the object that is written here.
    var keys: KeyStyle

    init(_ slot: TreeSlot, _ path: CodingPath, _ options: Options) {
        self.slot = slot
        self.path = path
        self.options = options
        keys = options.encoder.keys
    }

    func writer(at key: some CodingKey, _ slot: TreeSlot = TreeSlot()) -> TreeWriter {
        TreeWriter(slot, path.appending(key), options)
    }

    // MARK: Values

    /// The tree form of the value at this position.
    func part(_ value: some Encodable) throws -> TreePart {
        if let scalar = value as? any WritableScalar { return try self.scalar(scalar) }
        guard path.depth < options.encoder.maxDepth else {
            // The path is as long as the nesting is deep, and would hide the message.
            let message = "the value is nested more than \(options.encoder.maxDepth) deep"
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: message))
        }
        var writer = TreeWriter(TreeSlot(), path, options)
        let foundation = FoundationType(type(of: value))
        if foundation != nil || value is any StringKeyed { writer.keys = .asWritten }
        try value.encode(to: writer)
        let part = writer.slot.finished
        return switch foundation {
        case .date: try time(part, of: value)
        case .url: Self.url(part)
        case .data: Self.data(part)
        case .decimal: try decimal(part, of: value)
        case nil: part
        }
    }

    /// The tree form of a value at a key or element.
    func part(_ value: some Encodable, at key: some CodingKey) throws -> TreePart {
        if let scalar = value as? any WritableScalar {
            do throws(ScalarMismatch) { return try scalar.part() } catch {
                throw writer(at: key).mismatch(value, error.message)
            }
        }
        return try writer(at: key).part(value)
    }

    private func scalar(_ value: any WritableScalar) throws -> TreePart {
        do throws(ScalarMismatch) { return try value.part() } catch { throw mismatch(value, error.message) }
    }

    private func mismatch(_ value: Any, _ message: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: path.keys, debugDescription: message))
    }

    /// Converts the seconds since the start of 2001 that `Date` wrote.
    private func time(_ part: TreePart, of value: Any) throws -> TreePart {
        guard case .double(let seconds) = part else { return part }
        let unix = seconds + FoundationType.referenceDate
        guard options.encoder.dates == .internet else { return .double(unix) }
        guard let text = InternetTime.text(unix) else {
            throw mismatch(value, "the time \(unix) has no text: its year is not one of 0 to 9999")
        }
        return .string(text)
    }

    /// Converts the array of bytes that `Data` wrote.
    private static func data(_ part: TreePart) -> TreePart {
        guard let parts = part.list else { return part }
        let bytes = parts.compactMap { part -> UInt8? in
            if case .integer(let byte) = part { UInt8(exactly: byte) } else { nil }
        }
        return bytes.count == parts.count ? .string(Base64.encode(bytes)) : part
    }

    /// Converts the fields that `Decimal` wrote.
    private func decimal(_ part: TreePart, of value: Any) throws -> TreePart {
        guard case .object(let record) = part else { return part }
        guard let digits = DecimalDigits(record) else { throw mismatch(value, "NaN has no form in JSON") }
        return digits.part
    }

    /// Converts the object that `URL` wrote: its text, and the URL that it is relative to.
    private static func url(_ part: TreePart) -> TreePart {
        guard case .object(let record) = part, case .string(let text)? = record["relative"] else {
            return part
        }
        guard let base = record["base"] else { return .string(text) }
        guard case .string(let baseText) = url(base), let baseURL = URLText(baseText) else { return part }
        return .string(baseURL.relative(text)?.string ?? text)
    }
}

extension TreeWriter: Encoder {
    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { options.encoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedTreeWriter(self, record))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedTreeWriter(self, list) }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// A second container for the same value adds to the first.
    private var record: TreeRecord {
        if case .object(let record) = slot.part { return record }
        let record = TreeRecord()
        slot.part = .object(record)
        return record
    }

    private var list: TreeList {
        if case .array(let list) = slot.part { return list }
        let list = TreeList()
        slot.part = .array(list)
        return list
    }
}

extension TreeWriter: SingleValueEncodingContainer {
    func encodeNil() { slot.part = .null }

    func encode<Value: Encodable>(_ value: Value) throws { slot.part = try part(value) }

    // The protocol has its own methods for these, which throw.
    func encode(_ value: Int128) throws { slot.part = value.part() }
    func encode(_ value: UInt128) throws { slot.part = value.part() }
}

/// A dictionary whose keys are content, not names of properties.
private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String, Value: Encodable {}
