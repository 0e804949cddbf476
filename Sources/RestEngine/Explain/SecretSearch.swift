/// Searches for many texts in one pass, by their first bytes: a filter excludes most positions, and a table
/// holds the texts for the others.
struct SecretSearch: Sendable {
    /// The number of bytes of each text that are in the table.
    private let width: Int
    private let filter: [UInt64]
    private let shift: UInt64
    /// The texts, by their first bytes.
    private let needles: [UInt64: [[UInt8]]]

    init(_ texts: [String]) { self.init(exactly: texts.flatMap(Self.forms)) }

    /// Finds the texts exactly as they are, in no other form.
    init(exactly texts: some Sequence<String>) {
        let all = Set(texts.map { Array($0.utf8) }).filter { !$0.isEmpty }
        width = min(8, all.map(\.count).min() ?? 8)
        // 64 bits for each text, of which one is set, so that one in 64 positions passes the filter.
        let bits = UInt64.bitWidth - max(all.count * 64, 4096).leadingZeroBitCount
        shift = UInt64(64 - bits)
        var filter = [UInt64](repeating: 0, count: 1 << (bits - 6))
        var needles: [UInt64: [[UInt8]]] = [:]
        for needle in all {
            let key = needle.withUnsafeBufferPointer { [width] in Self.key($0, 0, width) }
            let hash = Self.hash(key, shift)
            filter[hash >> 6] |= 1 << UInt64(hash & 63)
            needles[key, default: []].append(needle)
        }
        self.filter = filter
        self.needles = needles
    }

    /// The forms in which a text may be shown: escaped for a URL, for JSON and log lines, for a shell, in
    /// base64; and for a text of several lines, such as a PEM key, each line.
    private static func forms(_ text: String) -> [String] {
        var forms = [
            text, PercentEncoding.component(Array(text.utf8)), PercentEncoding.parameter(text),
            PercentEncoding.path(text), PercentEncoding.form(text), text.onOneLine,
            text.replacing("'", with: "'\\''"),
        ]
        if let json = try? Tree(text).json() {
            forms.append(String(decoding: json.dropFirst().dropLast(), as: UTF8.self))
        }
        forms.append(Base64.encode(Array(text.utf8)))
        if text.utf8.contains(UInt8(ascii: "\n")) {
            forms += text.split(whereSeparator: \.isNewline).map(String.init)
                .filter { $0.utf8.count >= 16 && !$0.hasPrefix("-----") }
        }
        return forms.filter { $0.utf8.count >= KnownSecrets.fewestBytes }
    }

    private static func key(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int, _ width: Int) -> UInt64 {
        if place + 8 <= bytes.count {
            let eight = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: place, as: UInt64.self)
            return UInt64(littleEndian: eight) & (.max >> UInt64(64 - 8 * width))
        }
        return (0..<width).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
    }

    private static func hash(_ key: UInt64, _ shift: UInt64) -> Int {
        Int((key &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    /// This many bytes at the beginning of a text are as secret as the whole. All compared bytes are then
    /// hidden and not examined again, so that the work stays linear for repetitive texts.
    private static let enough = 64

    /// The number of bytes at an index that belong to a text, or to the beginning of a long one; 0 when there
    /// are none.
    private static func longest(
        of needles: [[UInt8]], in bytes: UnsafeBufferPointer<UInt8>, at place: Int
    ) -> Int {
        var longest = 0
        for needle in needles {
            let count = needle.withUnsafeBufferPointer { needle in
                let most = min(needle.count, bytes.count - place)
                var count = 0
                while count < most, needle[count] == bytes[place + count] { count += 1 }
                return count
            }
            if count == needle.count || count >= enough { longest = max(longest, count) }
        }
        return longest
    }

    /// Nil when none of the texts occurs.
    func masked(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard !needles.isEmpty else { return nil }
        return filter.withUnsafeBufferPointer { masked(bytes, $0) }
    }

    private func masked(_ bytes: UnsafeBufferPointer<UInt8>, _ filter: UnsafeBufferPointer<UInt64>)
        -> [UInt8]?
    {
        var shown: [UInt8] = []
        var copied = 0
        var place = 0
        let end = bytes.count - width
        while place <= end {
            let key = Self.key(bytes, place, width)
            let hash = Self.hash(key, shift)
            guard filter[hash >> 6] & (1 << UInt64(hash & 63)) != 0, let near = needles[key] else {
                place += 1
                continue
            }
            let count = Self.longest(of: near, in: bytes, at: place)
            guard count > 0 else {
                place += 1
                continue
            }
            shown += bytes[copied..<place]
            shown += SecretMask.text.utf8
            place += count
            copied = place
        }
        guard copied > 0 else { return nil }
        shown += bytes[copied...]
        return shown
    }
}
