/// The keys of an object while it is encoded.
struct KeyedTreeWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let place: TreeWriter
    private let record: TreeRecord

    init(_ place: TreeWriter, _ record: TreeRecord) {
        self.place = place
        self.record = record
    }

    var codingPath: [any CodingKey] { place.codingPath }

    func encodeNil(forKey key: Key) { set(key, .null) }

    /// Serves all types of the protocol.
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        set(key, try place.part(value, at: key))
    }

    // The protocol has its own methods for these, which throw.
    func encode(_ value: Int128, forKey key: Key) throws { set(key, value.part()) }
    func encode(_ value: UInt128, forKey key: Key) throws { set(key, value.part()) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        let slot = TreeSlot()
        record.set(TreeKey.parent.stringValue, .slot(slot))
        return place.writer(at: TreeKey.parent, slot)
    }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    private func nested(_ key: Key) -> TreeWriter {
        let slot = TreeSlot()
        set(key, .slot(slot))
        return place.writer(at: key, slot)
    }

    private func set(_ key: Key, _ part: TreePart) {
        let name = key.stringValue
        record.set(place.keys == .snakeCase ? KeyStyle.snakeCased(name) : name, part)
    }
}

/// The elements of an array while it is encoded.
struct UnkeyedTreeWriter: UnkeyedEncodingContainer {
    private let place: TreeWriter
    private let list: TreeList

    init(_ place: TreeWriter, _ list: TreeList) {
        self.place = place
        self.list = list
    }

    var codingPath: [any CodingKey] { place.codingPath }
    var count: Int { list.parts.count }

    func encodeNil() { list.parts.append(.null) }

    func encode<Value: Encodable>(_ value: Value) throws {
        list.parts.append(try place.part(value, at: TreeKey(intValue: count)))
    }

    // The protocol has its own methods for these, which throw.
    func encode(_ value: Int128) throws { list.parts.append(value.part()) }
    func encode(_ value: UInt128) throws { list.parts.append(value.part()) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }

    private func nested() -> TreeWriter {
        let slot = TreeSlot()
        let writer = place.writer(at: TreeKey(intValue: count), slot)
        list.parts.append(.slot(slot))
        return writer
    }
}

/// The encoded parts of a value. Containers may be filled in any order, so the tree is written at the end.
enum TreePart {
    case null
    case bool(Bool)
    case integer(Int64)
    /// The text of a number; see ``Tree/digits``.
    case digits(String)
    case double(Double)
    case string(String)
    case tree(Tree)
    case array(TreeList)
    case object(TreeRecord)
    /// An encoder that was handed out and may still be written to.
    case slot(TreeSlot)

    func write(to builder: inout Tree.Builder) {
        switch self {
        case .null: builder.null()
        case .bool(let bool): builder.bool(bool)
        case .integer(let integer): builder.int(integer)
        case .digits(let digits): builder.digits(digits)
        case .double(let double): builder.double(double)
        case .string(let string): builder.string(string)
        case .tree(let tree): builder.tree(tree)
        case .slot(let slot): slot.finished.write(to: &builder)
        case .array(let list):
            builder.array { builder in
                for part in list.parts { part.write(to: &builder) }
            }
        case .object(let record):
            builder.object { builder in
                for (name, part) in record.fields {
                    builder.key(name)
                    part.write(to: &builder)
                }
            }
        }
    }
}

/// The storage that an encoder fills.
final class TreeSlot {
    var part: TreePart?

    /// A type that encodes nothing is an object without fields.
    var finished: TreePart { part ?? .object(TreeRecord()) }
}

/// The elements of an array while it is encoded.
final class TreeList {
    var parts: [TreePart] = []
}

/// The fields of an object while it is encoded, in the order of arrival. A repeated field replaces the first
/// one.
final class TreeRecord {
    private(set) var fields: [(name: String, part: TreePart)] = []
    /// Only for many fields: comparing a few is faster than hashing one.
    private var places: [String: Int] = [:]

    func set(_ name: String, _ part: TreePart) {
        if let place = place(of: name) {
            fields[place].part = part
            return
        }
        if fields.count == 16 {
            for (place, field) in fields.enumerated() { places[field.name] = place }
        }
        if fields.count >= 16 { places[name] = fields.count }
        fields.append((name, part))
    }

    subscript(name: String) -> TreePart? { place(of: name).map { fields[$0].part } }

    private func place(of name: String) -> Int? {
        fields.count > 16 ? places[name] : fields.firstIndex { $0.name == name }
    }
}
