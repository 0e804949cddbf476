/// Enough of swift-collections for a target that doesn't care how fast a heap is.
public struct Heap<Element: Comparable> {
    public private(set) var unordered: [Element] = []

    public init() {}
    public init(_ elements: some Sequence<Element>) { unordered = Array(elements) }

    public var count: Int { unordered.count }
    public var isEmpty: Bool { unordered.isEmpty }
    public var min: Element? { unordered.min() }

    public mutating func insert(_ element: Element) { unordered.append(element) }

    public mutating func popMin() -> Element? {
        guard let place = unordered.indices.min(by: { unordered[$0] < unordered[$1] }) else { return nil }
        return unordered.remove(at: place)
    }

    @discardableResult
    public mutating func removeMin() -> Element { popMin()! }
}

extension Heap: Sendable where Element: Sendable {}
