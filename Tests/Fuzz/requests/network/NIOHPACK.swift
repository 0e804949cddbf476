/// The part of the network library's headers that the translation of requests needs.
public struct HPACKHeaders: Sequence {
    private let fields: [(name: String, value: String, indexing: Int)]

    public init(_ fields: [(String, String)]) {
        self.fields = fields.map { ($0.0, $0.1, 0) }
    }

    public func makeIterator() -> IndexingIterator<[(name: String, value: String, indexing: Int)]> {
        fields.makeIterator()
    }
}
