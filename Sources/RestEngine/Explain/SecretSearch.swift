/// Searches for many texts in one pass, by their first bytes: a filter excludes most positions, and a table
/// holds the texts for the others.
struct SecretSearch: Sendable {
    /// The number of bytes of each text that are in the table.
    private let width: Int
    private var filter: [UInt64] = []
    private var shift: UInt64 = 0
    /// The texts, by their first bytes.
    private var groups: [UInt64: Group] = [:]
    private var count = 0
    /// The number of texts for which the filter has room.
    private var room = 0
    /// The number of texts that were removed since the filter was made, and whose bits are still set.
    private var removed = 0

    init(_ texts: [String]) { self.init(exactly: texts.flatMap(Self.forms)) }

    /// Finds the texts exactly as they are, in no other form.
    init(exactly texts: some Sequence<String>) {
        let all = Set(texts.map { Array($0.utf8) }).filter { !$0.isEmpty }
        width = min(8, all.map(\.count).min() ?? 8)
        makeFilter(for: all.count)
        for needle in all { insert(needle) }
    }

    /// Has no texts yet. Those that are added have at least so many bytes.
    init(ofAtLeast bytes: Int) {
        width = min(8, bytes)
        makeFilter(for: 0)
    }

    /// Adds texts exactly as they are. The work does not grow with the number of known texts.
    mutating func add(_ texts: [[UInt8]]) {
        if count + texts.count > room || removed > room { makeFilter(for: 2 * (count + texts.count)) }
        for text in texts { insert(text) }
    }

    /// Removes texts that were added; a text that was added twice stays.
    mutating func remove(_ texts: [[UInt8]]) {
        for text in texts {
            let key = key(of: text)
            guard groups[key]?.remove(text) ?? false else { continue }
            if groups[key]?.isEmpty ?? false { groups[key] = nil }
            count -= 1
            removed += 1
        }
    }

    private mutating func makeFilter(for texts: Int) {
        // 64 bits for each text, of which one is set, so that one in 64 positions passes the filter.
        room = max(texts, 64)
        let bits = UInt64.bitWidth - (room * 64).leadingZeroBitCount
        shift = UInt64(64 - bits)
        filter = [UInt64](repeating: 0, count: 1 << (bits - 6))
        removed = 0
        for key in groups.keys { setBit(of: key) }
    }

    private mutating func insert(_ needle: [UInt8]) {
        let key = key(of: needle)
        setBit(of: key)
        groups[key, default: Group()].insert(needle)
        count += 1
    }

    private mutating func setBit(of key: UInt64) {
        let hash = Self.hash(key, shift)
        filter[hash >> 6] |= 1 << UInt64(hash & 63)
    }

    private func key(of needle: [UInt8]) -> UInt64 {
        needle.withUnsafeBufferPointer { Self.key($0, 0, width) }
    }

    /// The forms of a text, each once.
    static func needles(of text: String) -> [[UInt8]] { Array(Set(forms(text).map { Array($0.utf8) })) }

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

    /// Texts with the same first bytes, such as the tokens of one issuer. One pass over the first 64 bytes at
    /// a place finds those that are there, however many there are.
    private struct Group {
        /// The texts by the hash of their first 64 bytes, or of all bytes of a shorter one.
        private var texts: [UInt64: [[UInt8]]] = [:]
        /// The lengths of the shorter texts as bits. Bit 0 stands for all others.
        private var lengths: UInt64 = 0

        var isEmpty: Bool { texts.isEmpty }

        mutating func insert(_ text: [UInt8]) {
            texts[Self.hash(of: text), default: []].append(text)
            lengths |= 1 << (text.count < enough ? UInt64(text.count) : 0)
        }

        mutating func remove(_ text: [UInt8]) -> Bool {
            let hash = Self.hash(of: text)
            guard let index = texts[hash]?.firstIndex(of: text) else { return false }
            texts[hash]?.remove(at: index)
            if texts[hash]?.isEmpty ?? false { texts[hash] = nil }
            return true
        }

        /// The number of bytes at an index that belong to a text, or to the beginning of a long one; 0 when
        /// there are none.
        func longest(in bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> Int {
            var hash = Self.start
            var longest = 0
            let most = lengths & 1 != 0 ? enough : UInt64.bitWidth - 1 - lengths.leadingZeroBitCount
            for count in 1...max(1, min(most, bytes.count - place)) {
                hash = Self.next(hash, bytes[place + count - 1])
                let length = count < enough ? UInt64(count) : 0
                guard lengths & (1 << length) != 0, let found = texts[hash] else { continue }
                for text in found {
                    let common = Self.common(text, bytes, place)
                    if common == text.count || common >= enough { longest = max(longest, common) }
                }
            }
            return longest
        }

        private static func common(_ text: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int
        {
            text.withUnsafeBufferPointer { text in
                let most = min(text.count, bytes.count - place)
                var count = 0
                while count < most, text[count] == bytes[place + count] { count += 1 }
                return count
            }
        }

        private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

        private static func next(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }

        private static func hash(of text: [UInt8]) -> UInt64 { text.prefix(enough).reduce(start, next) }
    }

    /// Nil when none of the texts occurs.
    func masked(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard !groups.isEmpty else { return nil }
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
            guard filter[hash >> 6] & (1 << UInt64(hash & 63)) != 0, let near = groups[key] else {
                place += 1
                continue
            }
            let count = near.longest(in: bytes, at: place)
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
