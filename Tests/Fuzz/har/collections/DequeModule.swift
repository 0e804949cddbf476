/// A minimal part of swift-collections, for a target in which the speed of a queue doesn't matter.
public typealias Deque<Element> = [Element]

extension Array {
    public mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }
}
