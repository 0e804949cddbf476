/// How often the lines of one file were reached.
public struct LineHits: Sendable, Equatable {
    public let path: String
    /// All lines that hold code, with 0 for those that were never reached.
    public private(set) var counts: [Int: Int]

    public init(path: String, counts: [Int: Int]) {
        self.path = path
        self.counts = counts
    }

    /// Adds the counts of another run of the same file.
    public mutating func add(_ other: LineHits) { counts.merge(other.counts, uniquingKeysWith: +) }
}
