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
