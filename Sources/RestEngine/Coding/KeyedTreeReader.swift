/// The keys of an object while it is decoded.
struct KeyedTreeReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let place: TreeReader
    private let fields: TreeFields

    init(_ place: TreeReader) throws {
        guard place.tree.kind == .object else {
            throw place.mismatch([String: Tree].self, "expected object, got \(place.tree.kindName)")
        }
        self.place = place
        fields = TreeFields(place.tree)
    }

    var codingPath: [any CodingKey] { place.codingPath }

    var allKeys: [Key] { fields.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { field(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try required(key).isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try place.value(type, of: try required(key), at: key)
    }

    // The most frequent types need no cast.
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try scalar(key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(key) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(key) }

    // The protocol has its own methods for these, which throw.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try scalar(key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try scalar(key) }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let tree = field(key), !tree.isNull else { return nil }
        return try place.value(type, of: tree, at: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try place.reader(of: try required(key), at: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try place.reader(of: try required(key), at: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        place.reader(of: fields["super"] ?? .null, at: TreeKey.parent)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        place.reader(of: field(key) ?? .null, at: key)
    }

    private func scalar<Value: TreeScalar>(_ key: Key) throws -> Value {
        try place.scalar(of: try required(key), at: key)
    }

    private func field(_ key: Key) -> Tree? {
        if let tree = fields[key.stringValue] { return tree }
        guard place.options.decoder.keys == .snakeCase else { return nil }
        return fields[KeyStyle.snakeCased(key.stringValue)]
    }

    private func required(_ key: Key) throws -> Tree {
        if let tree = field(key) { return tree }
        let snake = KeyStyle.snakeCased(key.stringValue)
        let hint = fields[snake] == nil ? "" : "there is '\(snake)', which KeyStyle.snakeCase would find"
        throw place.missing(key, hint: hint)
    }
}

/// The fields of an object, for look-up in any order; the last of repeated keys counts.
struct TreeFields {
    /// The position of a field in the bytes of the object. A tree here would add a reference count to those
    /// bytes.
    private struct Field {
        let name: Range<Int>
        let start: UInt32
        let end: UInt32
    }

    private let object: Tree
    private let fields: [Field]
    /// Only for objects with many keys: for few keys, comparing them all is faster than hashing one.
    private var places: [String: Int]?

    init(_ object: Tree) {
        self.object = object
        var pairs = object.pairs
        var fields: [Field] = []
        fields.reserveCapacity(pairs.underestimatedCount)
        while let (name, value) = pairs.nextRange() {
            fields.append(Field(name: name, start: value.start, end: value.end))
        }
        self.fields = fields
        guard fields.count > 64 else { return }
        var places: [String: Int] = [:]
        for place in fields.indices { places[name(at: place)] = place }
        self.places = places
    }

    subscript(name: String) -> Tree? {
        place(of: name).map { Tree(storage: object.storage, start: fields[$0].start, end: fields[$0].end) }
    }

    /// In order, each once.
    var names: [String] {
        fields.indices.compactMap { index in
            let name = name(at: index)
            return place(of: name) == index ? name : nil
        }
    }

    private func place(of name: String) -> Int? {
        if let places { return places[name] }
        var name = name
        return name.withUTF8 { name in
            fields.lastIndex { field in
                field.name.count == name.count && object.storage[field.name].elementsEqual(name)
            }
        }
    }

    private func name(at place: Int) -> String {
        String(decoding: object.storage[fields[place].name], as: UTF8.self)
    }
}
