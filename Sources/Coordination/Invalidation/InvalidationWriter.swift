/// Sends a host's invalidations to the log, one at a time and in their order. A value without side effects:
/// its owner performs the actions.
///
/// An entry whose reply is missing is sent again: an invalidation that arrives twice does no harm.
package struct InvalidationWriter: Sendable {
    package enum Action: Sendable, Equatable {
        /// Add it to the log, then call ``added(_:)`` or ``failed(_:)``.
        case add(serial: Int64, Invalidation)
        /// Call ``resumed()`` after this many seconds.
        case pause(seconds: Double)
    }

    private struct Item: Sendable, Equatable {
        let serial: Int64
        let invalidation: Invalidation
    }

    private enum State: Sendable, Equatable {
        case idle, sending, paused
    }

    private var state = State.idle
    /// Not yet in the log, as far as the host knows.
    private var unsent: [Item] = []
    /// In the log, but the host's reader has not seen them there.
    private var unseen: [Item] = []
    private var lastSerial: Int64 = 0
    private var failures = 0

    /// The most invalidations that wait. More become one that says that everything has changed.
    package static let mostUnsent = 1000

    package init() {}

    /// The number of those that the server may not have.
    package var unsentCount: Int { unsent.count }

    // MARK: Events

    package mutating func publish(_ invalidation: Invalidation) -> [Action] {
        let begins = state == .idle
        // The first of the list may be on its way.
        if unsent.count > (begins ? 0 : 1), unsent.last?.invalidation == invalidation { return [] }
        if unsent.count >= Self.mostUnsent {
            unsent = Array(unsent.prefix(1))
            append(.everything)
        } else {
            append(invalidation)
        }
        return begins ? send() : []
    }

    package mutating func added(_ serial: Int64) -> [Action] {
        guard state == .sending, let first = unsent.first, first.serial == serial else { return [] }
        failures = 0
        unsent.removeFirst()
        // The reader may have been faster.
        if serial > seenSerial { unseen.append(first) }
        if unseen.count > Self.mostUnsent { unseen.removeFirst() }
        return send()
    }

    package mutating func failed(_ serial: Int64) -> [Action] {
        guard state == .sending, unsent.first?.serial == serial else { return [] }
        state = .paused
        failures = min(failures + 1, 16)
        let seconds = InvalidationReader.shortestPause * Double(1 << (failures - 1))
        return [.pause(seconds: min(seconds, InvalidationReader.longestPause))]
    }

    package mutating func resumed() -> [Action] {
        guard state == .paused else { return [] }
        return send()
    }

    private var seenSerial: Int64 = 0

    /// The host's reader has met one of its entries.
    package mutating func seen(_ serial: Int64) {
        seenSerial = max(seenSerial, serial)
        unseen.removeAll { $0.serial <= serial }
    }

    /// The reader has lost its place, so it won't meet them.
    package mutating func forgetUnseen() { unseen = [] }

    // MARK: Questions

    /// Whether the data that another host has set comes before the host's own change of the resource, in the
    /// order of the log. Then the host has what all will have at the end.
    ///
    /// Other entries are always applied: since its own change the host may have loaded data that they are
    /// about.
    package func isOverruled(_ other: Invalidation) -> Bool {
        guard case .overridden = other.change else { return false }
        return (unseen + unsent).contains { $0.invalidation.mayCover(other) }
    }

    /// Whether the server may still have data of the resource from before one of the host's own
    /// invalidations.
    package func isAwaited(for resource: Invalidation) -> Bool {
        unsent.contains { $0.invalidation.mayCover(resource) }
    }

    // MARK: Transitions

    private mutating func append(_ invalidation: Invalidation) {
        lastSerial += 1
        unsent.append(Item(serial: lastSerial, invalidation: invalidation))
    }

    private mutating func send() -> [Action] {
        guard let first = unsent.first else {
            state = .idle
            return []
        }
        state = .sending
        return [.add(serial: first.serial, first.invalidation)]
    }
}
