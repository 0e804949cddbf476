/// Many patterns, asked at once which of them match a URL. Globs and resources are found without a look at
/// those that don't match; regular expressions and predicates are tried one by one.
public struct PatternIndex: Sendable {
    private var patterns: [URLPattern] = []
    private var universal: [Int] = []
    private var resources: [String: [Int]] = [:]
    private var globs = GlobTrie()
    private var linear: [Int] = []

    public init() {}

    /// How many patterns it has.
    public var count: Int { patterns.count }

    /// A pattern by its number, which is its place in the order of adding.
    public subscript(number: Int) -> URLPattern { patterns[number] }

    /// - Returns: The pattern's number, which is its place in the order of registration.
    @discardableResult
    public mutating func append(_ pattern: URLPattern) -> Int {
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

    /// The numbers of the patterns that match, in the order of registration.
    /// - Parameter predicate: Evaluates the function of a `.predicate`; called in the order of registration.
    public func matches(_ url: URLText, predicate: (Int) throws -> Bool) throws -> [Int] {
        var found = universal + (resources[url.string] ?? []) + globMatches(url).numbers
        for number in linear where try patterns[number].matches(url, predicate: predicate) {
            found.append(number)
        }
        return found.sorted()
    }

    /// The globs that match, in no order, and the work it took: nodes, segments and whole globs looked at.
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
