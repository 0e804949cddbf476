import Synchronization

/// A count of bytes. It is changed on the engine loop, and by objects that are released on other threads.
final class ContentAccounting: Sendable {
    private let count = Atomic(0)
    private let parent: ContentAccounting?

    /// - Parameter parent: Gets the same changes.
    init(parent: ContentAccounting? = nil) { self.parent = parent }

    var bytes: Int { count.load(ordering: .relaxed) }

    func add(_ difference: Int) {
        count.wrappingAdd(difference, ordering: .relaxed)
        parent?.add(difference)
    }
}

/// The bytes that one body in transfer takes of a ``ContentBudget``, from its first byte until it becomes
/// content or is dropped.
package final class BodyAccount: Sendable {
    private let budget: ContentBudget
    private let total: ContentAccounting
    private let taken = Atomic(0)

    @EngineActor
    init(_ budget: ContentBudget) {
        self.budget = budget
        total = budget.bodies
    }

    deinit { close() }

    /// Counts the body with that many bytes in all. False when there is no room; then the count stays the
    /// same.
    @EngineActor
    package func grow(to bytes: Int) -> Bool {
        if growWithin(bytes) { return true }
        return budget.makeRoom(for: bytes - taken.load(ordering: .relaxed)) && growWithin(bytes)
    }

    /// The same on any thread, where no content can be dropped to make room.
    package func growWithin(_ bytes: Int) -> Bool {
        let more = bytes - taken.load(ordering: .relaxed)
        guard more > 0 else { return true }
        guard budget.hasRoom(for: more) else { return false }
        taken.wrappingAdd(more, ordering: .relaxed)
        total.add(more)
        return true
    }

    /// Ends the count of the body. Any thread.
    package func close() {
        let bytes = taken.exchange(0, ordering: .relaxed)
        if bytes > 0 { total.add(-bytes) }
    }

    /// The error of a transfer whose body does not fit.
    @EngineActor
    package var refusal: TransportError { budget.refusal(of: "the response's body") }
}

/// The bytes of one cache in memory in a ``ContentBudget``, as long as the cache lives.
@EngineActor
final class ContentShare {
    private let budget: ContentBudget
    private nonisolated let accounting: ContentAccounting

    init(_ budget: ContentBudget) {
        self.budget = budget
        accounting = ContentAccounting(parent: budget.accounting)
    }

    deinit { accounting.add(-accounting.bytes) }

    var bytes: Int { accounting.bytes }

    /// False when there is no room for that many more bytes; then the count stays the same.
    func grow(by bytes: Int) -> Bool {
        guard budget.makeRoom(for: bytes) else { return false }
        accounting.add(bytes)
        return true
    }

    func shrink(by bytes: Int) { accounting.add(-bytes) }
}
