/// A host's side of the log of invalidations: its reader and its writer, and the order between both. A value
/// without side effects: its owner performs the actions.
///
/// All hosts see the entries in one order. A host's own change is in effect before it is in the log, so an
/// entry of another host that stands before it there, and arrives after it here, is not applied.
package struct InvalidationLog: Sendable {
    package enum Action: Sendable, Equatable {
        case locate
        case read(after: String)
        case resumeReading(seconds: Double)
        case add(serial: Int64, Invalidation)
        case resumeWriting(seconds: Double)
        /// Apply it without publishing it.
        case apply(Invalidation)
        /// All data is stale, and so is that of loads in flight.
        case dropEverything
    }

    private var reader: InvalidationReader
    private var writer = InvalidationWriter()

    /// - Parameter host: A random identity of the process.
    package init(host: String, from place: InvalidationPlace? = nil) {
        reader = InvalidationReader(host: host, from: place)
    }

    package var place: InvalidationPlace? { reader.place }
    package var unsentCount: Int { writer.unsentCount }

    package func isAwaited(for resource: Invalidation) -> Bool { writer.isAwaited(for: resource) }

    // MARK: Events of the reader

    package mutating func started() -> [Action] { read(reader.started()) }
    package mutating func readingResumed() -> [Action] { read(reader.resumed()) }
    package mutating func located(_ end: InvalidationPlace?) -> [Action] { read(reader.located(end)) }
    package mutating func received(_ entries: [InvalidationEntry]) -> [Action] {
        read(reader.received(entries))
    }
    package mutating func nothing() -> [Action] { read(reader.nothing()) }
    package mutating func readFailed() -> [Action] { read(reader.failed()) }

    private mutating func read(_ actions: [InvalidationReader.Action]) -> [Action] {
        actions.flatMap { action -> [Action] in
            switch action {
            case .locate: return [.locate]
            case .read(let id): return [.read(after: id)]
            case .pause(let seconds): return [.resumeReading(seconds: seconds)]
            case .dropEverything:
                writer.forgetUnseen()
                return [.dropEverything]
            case .own(let serial):
                writer.seen(serial)
                return []
            case .apply(let entry):
                guard let invalidation = entry.invalidation else { return [] }
                if invalidation.change == .everything { return [.dropEverything] }
                return writer.isOverruled(invalidation) ? [] : [.apply(invalidation)]
            }
        }
    }

    // MARK: Events of the writer

    package mutating func publish(_ invalidation: Invalidation) -> [Action] {
        write(writer.publish(invalidation))
    }
    package mutating func added(_ serial: Int64) -> [Action] { write(writer.added(serial)) }
    package mutating func addFailed(_ serial: Int64) -> [Action] { write(writer.failed(serial)) }
    package mutating func writingResumed() -> [Action] { write(writer.resumed()) }

    private func write(_ actions: [InvalidationWriter.Action]) -> [Action] {
        actions.map { action in
            switch action {
            case .add(let serial, let invalidation): .add(serial: serial, invalidation)
            case .pause(let seconds): .resumeWriting(seconds: seconds)
            }
        }
    }
}
