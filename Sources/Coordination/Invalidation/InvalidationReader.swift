/// An entry of the log of invalidations, as the server stores it.
package struct InvalidationEntry: Sendable, Equatable {
    /// The ID that the server gave it, to go on from.
    package var id: String
    /// The identity of the log, which a server that lost its data has anew.
    package var epoch: String
    /// Its number in the log. Numbers are consecutive, so a reader finds what is missing.
    package var number: Int64
    /// The host that wrote it.
    package var host: String
    /// That host's own count of its entries.
    package var serial: Int64
    /// Nil for an entry that this version can't read.
    package var invalidation: Invalidation?

    package init(
        id: String, epoch: String, number: Int64, host: String, serial: Int64, _ invalidation: Invalidation?
    ) {
        (self.id, self.epoch, self.number) = (id, epoch, number)
        (self.host, self.serial, self.invalidation) = (host, serial, invalidation)
    }
}

/// A place in the log.
package struct InvalidationPlace: Sendable, Equatable {
    package var epoch: String
    package var number: Int64
    package var id: String

    package init(epoch: String, number: Int64, id: String) {
        (self.epoch, self.number, self.id) = (epoch, number, id)
    }

    /// Before the first entry of a log that nobody has begun.
    package static let start = InvalidationPlace(epoch: "", number: 0, id: "0-0")
}

/// Follows the log of invalidations. A value without side effects: its owner performs the actions.
///
/// It never skips an entry that it doesn't know. If the log can't prove that none is missing, all data counts
/// as stale.
package struct InvalidationReader: Sendable {
    package enum Action: Sendable, Equatable {
        /// Ask for the end of the log, then call ``located(_:)``.
        case locate
        /// Wait for entries behind this ID, then call ``received(_:)``, or ``nothing()`` when its time is
        /// over.
        case read(after: String)
        /// Call ``resumed()`` after this many seconds.
        case pause(seconds: Double)
        case apply(InvalidationEntry)
        /// One of the host's own entries, which is in effect already.
        case own(serial: Int64)
        /// Entries are missing, or may be: all data is stale.
        case dropEverything
    }

    private enum State: Sendable, Equatable {
        case idle, locating, reading, paused
    }

    private let host: String
    private(set) package var place: InvalidationPlace?
    private var state = State.idle
    private var failures = 0

    /// Seconds for the pauses before another attempt. With a read, and with the pauses of a client between
    /// two connections, they are shorter than ``recoverySeconds``.
    package static let shortestPause = 0.05
    package static let longestPause = 0.5
    /// When all parts can talk to each other again, all hosts know of all invalidations after so many
    /// seconds.
    package static let recoverySeconds = 3.0
    /// Seconds that a read waits for entries.
    package static let readSeconds = 0.5

    /// - Parameter place: Where an earlier run ended; nil if there is none.
    package init(host: String, from place: InvalidationPlace? = nil) {
        (self.host, self.place) = (host, place)
    }

    // MARK: Events

    package mutating func started() -> [Action] {
        guard state == .idle else { return [] }
        return locate()
    }

    package mutating func resumed() -> [Action] {
        guard state == .paused else { return [] }
        return locate()
    }

    /// - Parameter end: The last entry of the log; nil if there is no log.
    package mutating func located(_ end: InvalidationPlace?) -> [Action] {
        guard state == .locating else { return [] }
        failures = 0
        let end = end ?? .start
        // The host may have loaded data before it knew the place, so it begins with a drop too.
        guard let place, isContinued(place, by: end) else {
            self.place = end
            return [.dropEverything] + read()
        }
        return read()
    }

    /// Whether a log that ends there still has, or had, the entry at `place`.
    private func isContinued(_ place: InvalidationPlace, by end: InvalidationPlace) -> Bool {
        // The log has begun since. Its entries show whether one is missing.
        if place == .start { return true }
        guard place.epoch == end.epoch else { return false }
        return place.number < end.number || place == end
    }

    package mutating func received(_ entries: [InvalidationEntry]) -> [Action] {
        guard state == .reading else { return [] }
        failures = 0
        var actions: [Action] = []
        for entry in entries {
            let isNext =
                // Another program may have written any number.
                entry.number == (place?.number ?? 0) &+ 1
                && (entry.epoch == place?.epoch || place == .start)
            place = InvalidationPlace(epoch: entry.epoch, number: entry.number, id: entry.id)
            if !isNext || entry.invalidation == nil { actions.append(.dropEverything) }
            if entry.host == host {
                actions.append(.own(serial: entry.serial))
            } else if entry.invalidation != nil {
                actions.append(.apply(entry))
            }
        }
        return actions + read()
    }

    /// No entry came in the time of a read. A log that began anew may have IDs that are lower, and no read
    /// shows them.
    package mutating func nothing() -> [Action] {
        guard state == .reading else { return [] }
        return locate()
    }

    /// The server can't be used.
    package mutating func failed() -> [Action] {
        guard state == .locating || state == .reading else { return [] }
        state = .paused
        failures = min(failures + 1, 16)
        let seconds = Self.shortestPause * Double(1 << (failures - 1))
        return [.pause(seconds: min(seconds, Self.longestPause))]
    }

    // MARK: Transitions

    private mutating func locate() -> [Action] {
        state = .locating
        return [.locate]
    }

    private mutating func read() -> [Action] {
        state = .reading
        return [.read(after: place?.id ?? InvalidationPlace.start.id)]
    }
}
