/// The elements of an array while it is decoded.
struct UnkeyedTreeReader: UnkeyedDecodingContainer {
    private let place: TreeReader
    private var elements: Tree.Elements
    /// The element to decode next; it stays the same when decoding it fails.
    private var next: Tree?

    let count: Int?
    private(set) var currentIndex = 0

    init(_ place: TreeReader) throws {
        guard place.tree.kind == .array else {
            throw place.mismatch([Tree].self, "expected array, got \(place.tree.kindName)")
        }
        self.place = place
        elements = place.tree.elements
        count = place.tree.count
        next = elements.next()
    }

    var codingPath: [any CodingKey] { place.codingPath }

    var isAtEnd: Bool { next == nil }

    mutating func decodeNil() throws -> Bool {
        guard try current().isNull else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try place.value(type, of: try current(), at: TreeKey(intValue: currentIndex))
        advance()
        return value
    }

    // The protocol has its own methods for these, which throw.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try scalar() }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar() }

    private mutating func scalar<Value: TreeScalar>() throws -> Value {
        let value: Value = try place.scalar(of: try current(), at: TreeKey(intValue: currentIndex))
        advance()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try currentPlace().container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try currentPlace().unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try currentPlace()
        advance()
        return decoder
    }

    private func current() throws -> Tree {
        if let next { return next }
        throw DecodingError.valueNotFound(
            Tree.self,
            DecodingError.Context(
                codingPath: place.codingPath,
                debugDescription: "expected more than \(currentIndex) elements"))
    }

    private func currentPlace() throws -> TreeReader {
        place.reader(of: try current(), at: TreeKey(intValue: currentIndex))
    }

    private mutating func advance() {
        currentIndex += 1
        next = elements.next()
    }
}
