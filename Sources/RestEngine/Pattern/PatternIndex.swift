/// Many patterns, asked at once which of them match a URL.
public struct PatternIndex: Sendable {
    private var patterns: [URLPattern] = []

    public init() {}

    public var count: Int { patterns.count }

    /// - Returns: The pattern's number, which is its place in the order of registration.
    @discardableResult
    public mutating func append(_ pattern: URLPattern) -> Int {
        patterns.append(pattern)
        return patterns.count - 1
    }

    /// The numbers of the patterns that match, in the order of registration.
    /// - Parameter predicate: Evaluates the function of a `.predicate`; called in the order of registration.
    public func matches(_ url: URLText, predicate: (Int) throws -> Bool) throws -> [Int] {
        try patterns.indices.filter { try patterns[$0].matches(url, predicate: predicate) }
    }
}
