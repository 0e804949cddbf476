internal import DequeModule

/// Where a resource stands in the table of its service, and in the order of use.
@EngineActor
final class ResourcePlace {
    private(set) weak var resource: Resource?
    /// Nil after a flush, until somebody looks it up, and for what the table doesn't list.
    var held: Resource?
    /// In the order in which they were made.
    let number: Int
    /// As of the queue that it is in.
    var hasData = false
    /// Of its latest item in a queue; all earlier ones count no more.
    fileprivate var lastUse: UInt64 = 0

    init(_ resource: Resource, number: Int) {
        self.resource = resource
        self.number = number
    }

    /// Nobody observes the resource, waits for it or keeps it.
    var isHeldHereAlone: Bool {
        guard held?.isBusy == false else { return false }
        return isKnownUniquelyReferenced(&held)
    }
}

/// The resources of a service at one time, in no order; those that have gone since are nil.
@EngineActor
package struct ListedResources {
    private let places: [ResourcePlace]

    init(_ places: [ResourcePlace]) { self.places = places }

    package var count: Int { places.count }
    package subscript(index: Int) -> Resource? { places[index].resource }
}

/// Resources in the order of use, as far as that has been looked at: a use leaves a time at the resource and
/// moves nothing. One that was used since it was put here goes to the end when its turn comes, as in the
/// CLOCK algorithm of page caches.
@EngineActor
struct UseQueue {
    private struct Item {
        let place: ResourcePlace
        let use: UInt64
        /// When the resource was used, on the scheduler's uptime.
        let time: Double

        @EngineActor
        var isValid: Bool { place.lastUse == use }
    }

    private var items: Deque<Item> = []
    /// Resources in it. One that has ended is counted until its turn comes.
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

    /// When the first of them was used, as far as that is known.
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
