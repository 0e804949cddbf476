internal import CHash

/// A 128-bit hash that tells contents apart and finds damage: XXH3, the same value as `xxhsum -H128` has on
/// every machine. Not for secrets, nor against those who choose both contents.
package struct ContentHash: Sendable, Equatable {
    private let low: UInt64
    private let high: UInt64

    package init(_ bytes: UnsafeRawBufferPointer) {
        let hash = chash_xxh3(bytes.baseAddress, bytes.count)
        (low, high) = (hash.low, hash.high)
    }

    /// For comparing and showing: 32 digits.
    package var hex: String {
        String(unsafeUninitializedCapacity: 32) { digits in
            for index in 0..<32 {
                let half = index < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (index & 15))) & 15
                digits[index] = value < 10 ? 0x30 + value : 0x57 + value
            }
            return 32
        }
    }

    /// The half of it that is enough against accidents.
    package var checksum: UInt64 { low }
}

/// Entity tags (RFC 9110 8.8.3), and the lists of them in `If-None-Match` (13.1.2).
package enum EntityTag {
    /// A strong tag, quotes included: the hash of the content, and what else tells it from others of the same
    /// bytes.
    package static func strong(_ content: [UInt8], variant: String? = nil) -> String {
        let hash = content.withUnsafeBytes(ContentHash.init).hex
        return variant.map { "\"\(hash)-\($0)\"" } ?? "\"\(hash)\""
    }

    /// True when the list names `etag`, or is `*`. Weak comparison: `W/` is ignored.
    package static func list(_ list: UnsafeRawBufferPointer, contains etag: String) -> Bool {
        if list.isExactly("*") { return true }
        var etag = etag
        return etag.withUTF8 { etag in
            let wanted = opaque(UnsafeRawBufferPointer(etag))
            var found = false
            // Tags that are made here have no comma, so a tag with one that is taken for two can't match.
            list.forEachListMember { if opaque($0).elementsEqual(wanted) { found = true } }
            return found
        }
    }

    /// The same for a list that is a text.
    package static func list(_ list: String, contains etag: String) -> Bool {
        var list = list
        return list.withUTF8 { Self.list(UnsafeRawBufferPointer($0), contains: etag) }
    }

    private static func opaque(_ tag: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        tag.equals("W/", at: 0) ? UnsafeRawBufferPointer(rebasing: tag[2...]) : tag
    }
}
