/// Numbers filed by literal text that begins or ends what they stand for.
struct AffixTable: Sendable {
    private var prefixes: [Shelf] = []
    private var suffixes: [Shelf] = []
    private var others: [Int] = []

    /// All keys of one length.
    private struct Shelf: Sendable {
        let length: Int
        var numbers: [String: [Int]] = [:]
    }

    /// Files a number where fewer are: many patterns share a prefix and differ at the end, or the reverse.
    mutating func insert(_ number: Int, prefix: [UInt8], suffix: [UInt8]) {
        if prefix.isEmpty && suffix.isEmpty {
            others.append(number)
        } else if suffix.isEmpty {
            Self.file(number, under: prefix, in: &prefixes)
        } else if prefix.isEmpty {
            Self.file(number, under: suffix, in: &suffixes)
        } else if Self.crowd(prefix, in: prefixes) < Self.crowd(suffix, in: suffixes) {
            Self.file(number, under: prefix, in: &prefixes)
        } else {
            Self.file(number, under: suffix, in: &suffixes)
        }
    }

    /// Visits all numbers whose key fits the text; some of them may not match it.
    func candidates(_ text: ArraySlice<UInt8>, visit: (Int) -> Void) {
        others.forEach(visit)
        for shelf in prefixes {
            if shelf.length > text.count { break }
            shelf.numbers[String(decoding: text.prefix(shelf.length), as: UTF8.self)]?.forEach(visit)
        }
        for shelf in suffixes {
            if shelf.length > text.count { break }
            shelf.numbers[String(decoding: text.suffix(shelf.length), as: UTF8.self)]?.forEach(visit)
        }
    }

    private static func crowd(_ key: [UInt8], in shelves: [Shelf]) -> Int {
        let shelf = shelves.first { $0.length == key.count }
        return shelf?.numbers[String(decoding: key, as: UTF8.self)]?.count ?? 0
    }

    private static func file(_ number: Int, under key: [UInt8], in shelves: inout [Shelf]) {
        let place = shelves.firstIndex { $0.length >= key.count } ?? shelves.count
        if place == shelves.count || shelves[place].length != key.count {
            shelves.insert(Shelf(length: key.count), at: place)
        }
        shelves[place].numbers[String(decoding: key, as: UTF8.self), default: []].append(number)
    }
}
