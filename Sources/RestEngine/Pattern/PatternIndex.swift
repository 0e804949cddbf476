/// Finds the patterns out of many that match a URL. Globs and resources are found without testing the others;
/// regular expressions and predicates are tested one by one.
package struct PatternIndex: Sendable {
    private var patterns: [URLPattern] = []
    private var universal: [Int] = []
    private var resources: [String: [Int]] = [:]
    private var globs = GlobTrie()
    private var linear: [Int] = []

    package init() {}

    package var count: Int { patterns.count }

    /// The pattern with that number, which is its position in the order of adding.
    package subscript(number: Int) -> URLPattern { patterns[number] }

    /// - Returns: The number of the pattern, which is its position in the order of adding.
    @discardableResult
    package mutating func append(_ pattern: URLPattern) -> Int {
        let number = patterns.count
        patterns.append(pattern)
        switch pattern {
        case .all: universal.append(number)
        case .glob(let glob): globs.insert(glob, number: number)
        case .resource(let url): resources[url.string, default: []].append(number)
        case .regex, .predicate: linear.append(number)
        }
        return number
    }

    /// The numbers of the patterns that match, in the order of adding.
    /// - Parameter predicate: Evaluates the function of a `.predicate`; called in the order of adding.
    package func matches(_ url: URLText, predicate: (Int) throws -> Bool) throws -> [Int] {
        var found = universal + (resources[url.string] ?? []) + globMatches(url).numbers
        for number in linear where try patterns[number].matches(url, predicate: predicate) {
            found.append(number)
        }
        return found.sorted()
    }

    /// The globs that match, in any order, and the work as the number of visited nodes, segments and whole
    /// globs.
    func globMatches(_ url: URLText) -> (numbers: [Int], steps: Int) {
        let text = Array(url.withoutQuery)[...]
        let findings = globs.lookup(text)
        let confirmed = findings.candidates.filter { number in
            guard case .glob(let glob) = patterns[number] else { return false }
            return glob.matches(text)
        }
        return (findings.matches + confirmed, findings.steps + findings.candidates.count)
    }
}

/// Numbers stored by a literal text at the beginning or end of the texts that they match.
struct AffixTable: Sendable {
    private var prefixes: [Shelf] = []
    private var suffixes: [Shelf] = []
    private var others: [Int] = []

    /// All keys of one length.
    private struct Shelf: Sendable {
        let length: Int
        var numbers: [String: [Int]] = [:]
    }

    /// Stores a number under the key with fewer entries: many patterns share a prefix and differ at the end,
    /// or the reverse.
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

    /// Visits all numbers whose key fits the text; some of them may not match the whole text.
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
