internal import DequeModule

/// The entry of a resource in the table of its service, and in the order of use.
@EngineActor
final class ResourcePlace {
    private(set) weak var resource: Resource?
    /// Nil after a flush until the next look-up, and for resources that the table doesn't list.
    var held: Resource?
    /// Increases in the order of creation.
    let number: Int
    /// Whether it is in the queue of resources with data.
    var hasData = false
    /// The number of its latest item in a queue; earlier items are invalid.
    fileprivate var lastUse: UInt64 = 0

    init(_ resource: Resource, number: Int) {
        self.resource = resource
        self.number = number
    }

    /// Whether the resource has no observers, no waiting requests and no other owners.
    var isHeldHereAlone: Bool {
        guard held?.isBusy == false else { return false }
        return isKnownUniquelyReferenced(&held)
    }
}

/// The resources of a service at one time, in any order; those released since are nil.
@EngineActor
package struct ListedResources {
    private let places: [ResourcePlace]

    init(_ places: [ResourcePlace]) { self.places = places }

    package var count: Int { places.count }
    package subscript(index: Int) -> Resource? { places[index].resource }
}

/// Resources in approximate order of use: a use only stores a time at the resource and moves no entry. A
/// resource that was used since its entry was made goes to the end when it comes first, as in the CLOCK
/// algorithm of page caches.
@EngineActor
struct UseQueue {
    private struct Item {
        let place: ResourcePlace
        let use: UInt64
        /// When the resource was used, on the scheduler's uptime clock.
        let time: Double

        @EngineActor
        var isValid: Bool { place.lastUse == use }
    }

    private var items: Deque<Item> = []
    /// The number of resources. A released one counts until its entry comes first.
    private(set) var count = 0

    nonisolated init() {}

    mutating func append(_ place: ResourcePlace, at time: Double) {
        place.lastUse += 1
        items.append(Item(place: place, use: place.lastUse, time: time))
        count += 1
    }

    mutating func remove(_ place: ResourcePlace) {
        place.lastUse += 1
        count -= 1
        if items.count > 2 * count + 64 { items.removeAll { !$0.isValid } }
    }

    mutating func popFirst() -> (place: ResourcePlace, time: Double)? {
        guard firstTime != nil, let item = items.popFirst() else { return nil }
        count -= 1
        return (item.place, item.time)
    }

    /// When the first of them was used, as far as is known.
    var firstTime: Double? {
        mutating get {
            while let first = items.first {
                if first.isValid { return first.time }
                items.removeFirst()
            }
            return nil
        }
    }

    mutating func forgetDead() {
        items.removeAll { !$0.isValid || $0.place.resource == nil }
        count = items.count
    }
}
