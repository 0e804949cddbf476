/// A position in a tree while it is decoded.
struct TreeReader {
    final class Options: Sendable {
        let decoder: TreeDecoder
        init(_ decoder: TreeDecoder) { self.decoder = decoder }
    }

    let tree: Tree
    let path: CodingPath
    let options: Options

    func reader(of tree: Tree, at key: some CodingKey) -> TreeReader {
        TreeReader(tree: tree, path: path.appending(key), options: options)
    }

    // MARK: Values

    /// Decodes the whole tree here as a value.
    func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        if let scalar = type as? any TreeScalar.Type, let value = try self.scalar(scalar) as? Value {
            return value
        }
        guard path.depth < options.decoder.maxDepth else {
            let message = "the content is nested more than \(options.decoder.maxDepth) deep"
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: message))
        }
        switch FoundationType(type) {
        case .date: return try Value(from: reader(ofForm: try time()))
        case .url where tree.kind == .string: return try Value(from: reader(ofForm: ["relative": tree]))
        case .data where tree.kind == .string: return try Value(from: reader(ofForm: try bytes()))
        case .decimal: return try Value(from: reader(ofForm: try decimal()))
        default: return try Value(from: self)
        }
    }

    /// A reader at the same position, for the form that a Foundation type reads from its decoder.
    private func reader(ofForm form: Tree) -> TreeReader {
        TreeReader(tree: form, path: path, options: options)
    }

    /// The form that `Data` reads: its bytes, in JSON as base64.
    private func bytes() throws -> Tree {
        switch Base64.decode(Array(tree.bytes ?? [])) {
        case .success(let bytes): return Tree(bytes.map { Tree($0) })
        case .failure(let error): throw mismatch([UInt8].self, error.message)
        }
    }

    /// The form that `Decimal` reads: its fields.
    private func decimal() throws -> Tree {
        let text = tree.int.map { "\($0)" } ?? tree.digits ?? tree.double.map { "\($0)" }
        guard let text else { throw mismatch(Double.self, "expected number, got \(tree.kindName)") }
        guard let form = DecimalDigits(text)?.record else {
            throw mismatch(Double.self, "\(text) does not fit into Decimal")
        }
        return form
    }

    /// Decodes the value of a key or element.
    func value<Value: Decodable>(_ type: Value.Type, of tree: Tree, at key: some CodingKey) throws -> Value {
        if let scalar = type as? any TreeScalar.Type,
            let value = try self.scalar(scalar, of: tree, at: key) as? Value
        {
            return value
        }
        return try reader(of: tree, at: key).value()
    }

    func scalar<Value: TreeScalar>(_ type: Value.Type = Value.self) throws -> Value {
        do throws(ScalarMismatch) { return try Value.read(tree) } catch {
            throw mismatch(type, error.message)
        }
    }

    /// Decodes a scalar at a key or element; the path is made only when there is an error.
    func scalar<Value: TreeScalar>(
        _ type: Value.Type = Value.self, of tree: Tree, at key: some CodingKey
    ) throws -> Value {
        do throws(ScalarMismatch) { return try Value.read(tree) } catch {
            throw reader(of: tree, at: key).mismatch(type, error.message)
        }
    }

    /// The form that `Date` reads from its decoder: seconds since the start of 2001.
    private func time() throws -> Tree {
        if let seconds = tree.double { return Tree(seconds - FoundationType.referenceDate) }
        guard let text = tree.string else {
            throw mismatch(Double.self, "expected a time, got \(tree.kindName)")
        }
        guard let seconds = InternetTime.seconds(text) else {
            throw mismatch(
                Double.self, "expected a time such as 2026-06-19T08:30:00Z, got '\(text.printable)'")
        }
        return Tree(seconds - FoundationType.referenceDate)
    }

    // MARK: Errors

    func mismatch(_ type: Any.Type, _ message: String) -> DecodingError {
        let context = DecodingError.Context(codingPath: path.keys, debugDescription: message)
        return tree.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func missing(_ key: some CodingKey, hint: String) -> DecodingError {
        .keyNotFound(key, DecodingError.Context(codingPath: path.keys, debugDescription: hint))
    }
}

extension TreeReader: Decoder {
    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { options.decoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedTreeReader(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedTreeReader(self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension TreeReader: SingleValueDecodingContainer {
    func decodeNil() -> Bool { tree.isNull }

    /// Serves all types of the protocol; the most frequent ones need no cast.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

    func decode(_ type: String.Type) throws -> String { try scalar() }
    func decode(_ type: Int.Type) throws -> Int { try scalar() }
    func decode(_ type: Double.Type) throws -> Double { try scalar() }
    func decode(_ type: Bool.Type) throws -> Bool { try scalar() }

    // The protocol has its own methods for these, which throw.
    func decode(_ type: Int128.Type) throws -> Int128 { try scalar() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar() }
}
