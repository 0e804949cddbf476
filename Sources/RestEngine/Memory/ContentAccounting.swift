import Synchronization

/// A count of bytes. Changed on the engine loop, and by objects that end on other threads.
final class ContentAccounting: Sendable {
    private let count = Atomic(0)
    private let parent: ContentAccounting?

    /// What is added to it is added to `parent` too.
    init(parent: ContentAccounting? = nil) { self.parent = parent }

    var bytes: Int { count.load(ordering: .relaxed) }

    func add(_ difference: Int) {
        count.wrappingAdd(difference, ordering: .relaxed)
        parent?.add(difference)
    }
}

/// What one body on its way takes of a ``ContentBudget``, from its first byte until it is content or nobody
/// wants it.
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

    /// The body needs so many bytes in all. False when there is no room for it; then nothing is counted.
    @EngineActor
    package func grow(to bytes: Int) -> Bool {
        if growWithin(bytes) { return true }
        return budget.makeRoom(for: bytes - taken.load(ordering: .relaxed)) && growWithin(bytes)
    }

    /// The same on any thread, where nothing can be dropped to make room.
    package func growWithin(_ bytes: Int) -> Bool {
        let more = bytes - taken.load(ordering: .relaxed)
        guard more > 0 else { return true }
        guard budget.hasRoom(for: more) else { return false }
        taken.wrappingAdd(more, ordering: .relaxed)
        total.add(more)
        return true
    }

    /// It is on its way no more. Any thread.
    package func close() {
        let bytes = taken.exchange(0, ordering: .relaxed)
        if bytes > 0 { total.add(-bytes) }
    }

    /// Why a transfer whose body finds no room fails.
    @EngineActor
    package var refusal: TransportError { budget.refusal(of: "the response's body") }
}

/// The part of a ``ContentBudget`` that one cache in memory takes, for as long as it lives.
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

    /// False when there is no room for so many bytes more; then nothing is counted.
    func grow(by bytes: Int) -> Bool {
        guard budget.makeRoom(for: bytes) else { return false }
        accounting.add(bytes)
        return true
    }

    func shrink(by bytes: Int) { accounting.add(-bytes) }
}
