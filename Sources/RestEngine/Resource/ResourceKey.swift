/// The identity of a resource in its service: its URL and its partition (rules 77).
struct ResourceKey: Hashable, Sendable {
    /// Nil: the part of everybody.
    let partition: String?
    let url: String

    init(_ partition: String?, _ url: String) { (self.partition, self.url) = (partition, url) }
}
