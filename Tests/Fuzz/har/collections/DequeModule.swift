/// Enough of swift-collections for a target that doesn't care how fast a queue is.
public typealias Deque<Element> = [Element]

extension Array {
    public mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }
}
