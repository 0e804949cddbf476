internal import CHash

/// A 128-bit hash that distinguishes contents and detects damage: XXH3, with the same value as `xxhsum -H128`
/// on every machine. Not for secrets, and not safe against an attacker who chooses both contents.
package struct ContentHash: Sendable, Equatable {
    private let low: UInt64
    private let high: UInt64

    package init(_ bytes: UnsafeRawBufferPointer) {
        let hash = chash_xxh3(bytes.baseAddress, bytes.count)
        (low, high) = (hash.low, hash.high)
    }

    /// The hash as 32 digits, for comparison and output.
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

    /// The half of the hash that is enough to detect accidental damage.
    package var checksum: UInt64 { low }
}

/// Entity tags (RFC 9110 8.8.3), and the lists of them in `If-None-Match` (13.1.2).
package enum EntityTag {
    /// A strong tag, including its quotes: the hash of the content, and a variant that distinguishes other
    /// forms with the same bytes.
    package static func strong(_ content: [UInt8], variant: String? = nil) -> String {
        "\"\(opaque(content, variant))\""
    }

    private static func opaque(_ content: [UInt8], _ variant: String?) -> String {
        let hash = content.withUnsafeBytes(ContentHash.init).hex
        return variant.map { "\(hash)-\($0)" } ?? hash
    }

    /// A strong tag for content that was made from an API's content. It contains the API's own tag, so a
    /// client's precondition can be translated for the API (rule 50.12, D40).
    package static func strong(_ content: [UInt8], variant: String?, madeOf source: String?) -> String {
        "\"\(opaque(content, variant))\(Source(source).suffix)\""
    }

    /// The tag of another form of the same content.
    package static func variant(_ variant: String, of etag: String) -> String {
        guard let end = etag.firstIndex(where: { "~!.".contains($0) }) else {
            return "\(etag.dropLast())-\(variant)\""
        }
        return "\(etag[..<end])-\(variant)\(etag[end...])"
    }

    /// The API's own tag for the content that a tag was made for.
    package enum Source: Equatable {
        /// The API's tag: opaque-tag without its quotes.
        case tag(String, isWeak: Bool)
        /// The API sent no tag that could be included.
        case nothing

        /// Longer tags are rare, and would take much space in the heads of answers.
        private static let mostBytes = 256

        /// - Parameter etag: The tag of the API, verbatim.
        fileprivate init(_ etag: String?) {
            let isWeak = etag?.hasPrefix("W/") ?? false
            guard let tag = isWeak ? etag?.dropFirst(2) : etag?[...], tag.utf8.count >= 2,
                tag.utf8.count <= Self.mostBytes, tag.hasPrefix("\""), tag.hasSuffix("\""),
                tag.dropFirst().dropLast().utf8.allSatisfy({ $0 == 0x21 || 0x23...0x7E ~= $0 })
            else {
                self = .nothing
                return
            }
            self = .tag(String(tag.dropFirst().dropLast()), isWeak: isWeak)
        }

        fileprivate var suffix: String {
            switch self {
            case .tag(let tag, isWeak: false): "~" + tag
            case .tag(let tag, isWeak: true): "!" + tag
            case .nothing: "."
            }
        }

        /// The tag as the API wrote it; nil for none.
        package var etag: String? {
            if case .tag(let tag, let isWeak) = self { "\(isWeak ? "W/" : "")\"\(tag)\"" } else { nil }
        }
    }

    /// The API's tag inside a tag that ``strong(_:variant:madeOf:)`` made; nil for any other. If the tag was
    /// made weak on its way, the result is weak too.
    package static func source(of etag: String) -> Source? {
        let isWeak = etag.hasPrefix("W/")
        let tag = isWeak ? etag.dropFirst(2) : etag[...]
        guard tag.utf8.count > 34, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
        let text = tag.dropFirst().dropLast()
        guard text.utf8.prefix(32).allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }),
            let mark = text.firstIndex(where: { "~!.".contains($0) }), text[..<mark].utf8.count >= 32,
            text[..<mark].utf8.allSatisfy({ HTTPByte.isDigit($0) || 0x61...0x7A ~= $0 || $0 == 0x2D })
        else { return nil }
        let rest = text[text.index(after: mark)...]
        if text[mark] == "." { return rest.isEmpty ? .nothing : nil }
        return .tag(String(rest), isWeak: isWeak || text[mark] == "!")
    }

    /// True when the list contains `etag`, or is `*`. The comparison is weak: `W/` is ignored.
    package static func list(_ list: UnsafeRawBufferPointer, contains etag: String) -> Bool {
        if list.isExactly("*") { return true }
        var etag = etag
        return etag.withUTF8 { etag in
            let wanted = opaque(UnsafeRawBufferPointer(etag))
            var found = false
            forEach(in: list) { if opaque($0).elementsEqual(wanted) { found = true } }
            return found
        }
    }

    /// The same for a list in a string.
    package static func list(_ list: String, contains etag: String) -> Bool {
        var list = list
        return list.withUTF8 { Self.list(UnsafeRawBufferPointer($0), contains: etag) }
    }

    /// The members of a list, verbatim.
    package static func members(of list: String) -> [String] {
        var (list, members) = (list, [String]())
        list.withUTF8 { bytes in
            forEach(in: UnsafeRawBufferPointer(bytes)) { members.append(String(decoding: $0, as: UTF8.self)) }
        }
        return members
    }

    /// Commas inside quotes belong to a tag.
    private static func forEach(
        in list: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        while start < list.count {
            var (end, isQuoted) = (start, false)
            while end < list.count, isQuoted || list[end] != UInt8(ascii: ",") {
                if list[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
                end += 1
            }
            var (first, last) = (start, end)
            while first < last, HTTPByte.isBlank(list[first]) { first += 1 }
            while last > first, HTTPByte.isBlank(list[last - 1]) { last -= 1 }
            if last > first { body(UnsafeRawBufferPointer(rebasing: list[first..<last])) }
            start = end + 1
        }
    }

    private static func opaque(_ tag: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        tag.equals("W/", at: 0) ? UnsafeRawBufferPointer(rebasing: tag[2...]) : tag
    }
}
