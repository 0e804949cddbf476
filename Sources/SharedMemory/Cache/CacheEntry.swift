package import RestEngine

/// An entity as a value of the server. Pure: any bytes may come, and those that
/// ``encode(_:at:compressing:most:)`` did not make are rejected.
///
///     magic "rhe" · version u8 · timestamp f64 · checksum u64 of the timestamp
///     · checksum u64 of all bytes that follow · compression u8 · size u32 of the plain entity
///     · stage, user, service, place: length u32, UTF-8 · the entity, as EntityCoding writes it
///
/// Numbers are little-endian. The timestamp has a place and a checksum of its own, so that a confirmed entity
/// gets a new time without being read and written.
package enum CacheEntry {
    /// The owner of an entry. Keys have only a hash of it, so a reader compares it.
    package struct Place: Sendable, Equatable {
        package var stage: String
        package var user: String
        package var service: String
        /// The URL, behind the name of the partition and a line break if there is one. Neither has a line
        /// break.
        package var url: String

        package init(stage: String, user: String, service: String, partition: String?, url: String) {
            (self.stage, self.user, self.service) = (stage, user, service)
            self.url = partition.map { $0 + "\n" + url } ?? url
        }

        fileprivate init(stage: String, user: String, service: String, whole url: String) {
            (self.stage, self.user, self.service, self.url) = (stage, user, service, url)
        }

        package var parts: (partition: String?, url: String) {
            let parts = url.split(separator: "\n", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : (nil, url)
        }

        fileprivate var texts: [String] { [stage, user, service, url] }
    }

    package enum Reading: Sendable {
        case entity(Entity)
        /// The bytes belong to something else with the same hash.
        case other
        /// Damaged, or written by another program or version.
        case unreadable
    }

    package static let magic: [UInt8] = Array("rhe\u{1}".utf8)
    /// The bytes of the timestamp and its checksum.
    package static let stamp = 4..<20
    private static let body = 28
    private static let sizes = 33
    /// Bytes that contain the place, of all but the longest URLs.
    package static let headBytes = 4096

    // MARK: Writing

    /// - Parameter most: Of the entry. Nil for an entity that needs more.
    package static func encode(
        _ entity: Entity, at place: Place, compressing: Bool, most: Int
    ) throws(EntityCodingError) -> [UInt8]? {
        let plain = try EntityCoding.encode(entity)
        guard let size = UInt32(exactly: plain.count) else { throw .tooLarge }
        let packed = compressing ? Compression.pack(plain) : nil
        let content = packed ?? plain
        guard content.count <= most else { return nil }
        var bytes = magic
        bytes.reserveCapacity(content.count + 512)
        bytes += stampBytes(entity.timestamp)
        append(UInt64.zero, &bytes)
        bytes.append(packed == nil ? 0 : 1)
        append(size, &bytes)
        for text in place.texts {
            append(UInt32(truncatingIfNeeded: text.utf8.count), &bytes)
            bytes.append(contentsOf: text.utf8)
        }
        bytes += content
        let sum = checksum(bytes[body...])
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(20..<body, with: $0) }
        return bytes
    }

    /// A timestamp and its checksum.
    package static func stampBytes(_ timestamp: Double) -> [UInt8] {
        var bytes: [UInt8] = []
        append(timestamp.bitPattern, &bytes)
        append(checksum((magic + bytes)[...]), &bytes)
        return bytes
    }

    private static func append(_ number: some FixedWidthInteger, _ bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { ContentHash($0).checksum }
    }

    // MARK: Reading

    /// - Parameter most: Bytes of the plain entity.
    package static func decode(_ bytes: [UInt8], of wanted: Place, most: Int) -> Reading {
        guard bytes.count > sizes, bytes.starts(with: magic),
            number(bytes, 20, UInt64.self) == checksum(bytes[body...]),
            let (place, start) = place(in: bytes)
        else { return .unreadable }
        guard place == wanted else { return .other }
        let bits = number(bytes, stamp.lowerBound, UInt64.self)
        guard let bits, stampBytes(Double(bitPattern: bits)) == Array(bytes[stamp]),
            let size = number(bytes, 29, UInt32.self), Int(size) <= most
        else { return .unreadable }
        let plain: [UInt8]
        switch bytes[body] {
        case 0: plain = Array(bytes[start...])
        case 1:
            guard let unpacked = Compression.unpack(bytes[start...], count: Int(size)) else {
                return .unreadable
            }
            plain = unpacked
        default: return .unreadable
        }
        guard plain.count == Int(size), var entity = EntityCoding.decode(plain) else { return .unreadable }
        entity.timestamp = Double(bitPattern: bits)
        return .entity(entity)
    }

    /// The place of an entry whose first bytes these are; nil when they contain none.
    package static func place(ofHead bytes: [UInt8]) -> Place? {
        bytes.starts(with: magic) ? place(in: bytes)?.place : nil
    }

    /// The place, and where the entity begins.
    private static func place(in bytes: [UInt8]) -> (place: Place, end: Int)? {
        var offset = sizes
        var texts: [String] = []
        for _ in 0..<4 {
            guard let count = number(bytes, offset, UInt32.self), Int(count) <= bytes.count - offset - 4,
                let text = String(validating: bytes[(offset + 4)..<(offset + 4 + Int(count))], as: UTF8.self)
            else { return nil }
            texts.append(text)
            offset += 4 + Int(count)
        }
        return (Place(stage: texts[0], user: texts[1], service: texts[2], whole: texts[3]), offset)
    }

    private static func number<Number: FixedWidthInteger>(
        _ bytes: [UInt8], _ offset: Int, _: Number.Type
    ) -> Number? {
        guard offset + Number.bitWidth / 8 <= bytes.count else { return nil }
        return bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }
}
