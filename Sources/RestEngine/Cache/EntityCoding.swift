/// Entities as bytes, for caches outside of the process.
///
/// Bytes of another `version`, or bytes that were cut, changed or forged are rejected, never misread: a
/// checksum covers them.
///
///     version u8 · checksum u64 of all bytes that follow · timestamp f64 · charset
///     · status u16, 0 for none · URL · HTTP version · header fields u32, each: name text, value text ·
///     content kind u8 · content: the remaining bytes
///     text = length u32, UTF-8; charset, URL and HTTP version: present u8 [text]; numbers are little-endian
public enum EntityCoding {
    /// Changes with the format; a cache includes it in its keys.
    package static let version: UInt8 = 3

    private enum Kind: UInt8 {
        case bytes, text, json, value, image
        /// JSON and UTF-8 as the server sent them.
        case jsonBody, textBody
    }

    private static let headSize = 9

    /// The bytes of an entity, for ``decode(_:)``.
    ///
    /// - Throws: ``EntityCodingError`` for an entity that can't be kept.
    public static func encode(_ entity: Entity) throws(EntityCodingError) -> [UInt8] {
        guard entity.timestamp.isFinite else { throw .badTimestamp }
        var writer = EntityWriter()
        writer.number(version)
        writer.number(UInt64.zero)
        writer.number(entity.timestamp.bitPattern)
        try writer.optional(entity.charset)
        writer.number(entity.status.flatMap { UInt16(exactly: $0) } ?? 0)
        try writer.optional(entity.url)
        try writer.optional(entity.httpVersion)
        try writer.count(entity.headers.fields.count)
        for field in entity.headers.fields {
            try writer.text(field.name)
            try writer.text(field.value)
        }
        try encode(entity.content, entity.body, to: &writer)
        writer.patch(checksum(writer.bytes), at: 1)
        return writer.bytes
    }

    private static func encode(
        _ content: Content, _ body: ReadBody?, to writer: inout EntityWriter
    ) throws(EntityCodingError) {
        switch content {
        case .json where body?.isJSON ?? false: writer.rest(Kind.jsonBody.rawValue, body?.bytes ?? [])
        case .text(let text) where body?.isText ?? false: writer.rest(Kind.textBody.rawValue, text.utf8)
        case .bytes(let bytes): writer.rest(Kind.bytes.rawValue, bytes)
        case .text(let text): writer.rest(Kind.text.rawValue, text.utf8)
        case .image(let image): writer.rest(Kind.image.rawValue, image.bytes)
        case .json(let tree): try encode(tree, .json, to: &writer)
        case .value(let tree): try encode(tree, .value, to: &writer)
        case .native(let value): throw .nativeContent(type: "\(type(of: value))")
        }
    }

    private static func encode(_ tree: Tree, _ kind: Kind, to writer: inout EntityWriter)
        throws(EntityCodingError)
    {
        guard tree.isClassless else { throw .classedContent }
        tree.withUnsafeBytes { writer.rest(kind.rawValue, $0) }
    }

    /// The entity; nil for bytes that ``encode(_:)`` of this version did not make.
    public static func decode(_ bytes: [UInt8]) -> Entity? {
        var reader = EntityReader(bytes)
        guard reader.number(UInt8.self) == version, reader.number(UInt64.self) == checksum(bytes),
            let timestamp = reader.number(UInt64.self).map(Double.init(bitPattern:)), timestamp.isFinite,
            let charset = reader.optional(), let status = reader.number(UInt16.self),
            let url = reader.optional(), let httpVersion = reader.optional(),
            let headers = headers(&reader), let (content, body) = content(&reader)
        else { return nil }
        var entity = Entity(content: content, headers: headers, timestamp: timestamp)
        if let body { entity.read(content, of: body) }
        entity.charset = charset
        entity.status = status == 0 ? nil : Int(status)
        entity.url = url
        entity.httpVersion = httpVersion
        return entity
    }

    private static func headers(_ reader: inout EntityReader) -> Headers? {
        var headers = Headers()
        guard let count = reader.number(UInt32.self) else { return nil }
        // The first missing field ends the loop, even if the count is larger.
        for _ in 0..<count {
            guard let name = reader.text(), let value = reader.text() else { return nil }
            headers.add(name, value)
        }
        return headers
    }

    private static func content(_ reader: inout EntityReader) -> (Content, ReadBody?)? {
        guard let kind = reader.number(UInt8.self).flatMap(Kind.init) else { return nil }
        let bytes = reader.rest()
        switch kind {
        case .bytes: return (.bytes(Array(bytes)), nil)
        case .text: return text(bytes).map { ($0, nil) }
        case .textBody: return text(bytes).map { ($0, .text) }
        case .image: return Image(bytes: Array(bytes)).map { (.image($0), nil) }
        case .json: return tree(bytes).map { (.json($0), nil) }
        case .jsonBody:
            let body = Array(bytes)
            return (try? Tree(json: body, limits: widest)).map { (.json($0), .json(body)) }
        case .value: return tree(bytes).map { (.value($0), nil) }
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> Content? {
        String(validating: bytes, as: UTF8.self).map { .text($0) }
    }

    private static let widest = Tree.Limits(depth: 1000, bytes: Int(UInt32.max))

    private static func tree(_ bytes: ArraySlice<UInt8>) -> Tree? {
        guard let tree = Tree(checking: Array(bytes), limits: widest), tree.isClassless else { return nil }
        return tree
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes {
            ContentHash(UnsafeRawBufferPointer(rebasing: $0.dropFirst(headSize))).checksum
        }
    }
}

/// Writes the parts of an encoded entity in order.
struct EntityWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func count(_ count: Int) throws(EntityCodingError) {
        guard let count = UInt32(exactly: count) else { throw .tooLarge }
        number(count)
    }

    mutating func text(_ text: String) throws(EntityCodingError) {
        try count(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func optional(_ text: String?) throws(EntityCodingError) {
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

/// Reads the parts of an encoded entity; nil where the bytes end too early.
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

    /// Reads an optional text. The outer optional is nil where the bytes end too early.
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

/// The reason why an entity can't be encoded.
public enum EntityCodingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A Swift value can't be represented outside of this process.
    case nativeContent(type: String)
    /// The number of a script's class is valid in this process only.
    case classedContent
    /// The timestamp is not finite.
    case badTimestamp
    /// The entity is larger than a cache can hold.
    case tooLarge

    public var description: String {
        switch self {
        case .nativeContent(let type):
            "content of type \(type) has no form outside of this process; only bytes, text, JSON, values of "
                + "scripts and images have one"
        case .classedContent:
            "the content holds objects of a class, or is nested too deep, and only plain tables can leave the process: "
                + "put the cache at a stage before they are made"
        case .badTimestamp: "the entity's timestamp is no finite number"
        case .tooLarge: "a text or the headers of the entity are larger than 4 GiB"
        }
    }
}
