/// Operations that wait, and which of them are next.
///
/// Those of one key keep their order. A read that follows no change of its key goes before all changes, so it waits
/// for one batch at most, however many changes stand in line.
struct OperationLine {
    struct Batch {
        /// Reads that nothing before them concerns.
        var reads: [Operation] = []
        /// What goes into one transaction: changes, and reads of what they change.
        var others: [Operation] = []
    }

    /// A batch has at most so many others, and one that makes it heavier than ``maxWeight`` is its last.
    static let maxOthers = 64
    static let maxWeight = 4 << 20
    /// How far from the front reads are looked for.
    static let horizon = 1024

    private var waiting: [Operation] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ operations: [Operation]) { waiting += operations }

    mutating func takeBatch() -> Batch {
        var batch = Batch()
        var left: [Operation] = []
        var changed: Set<EntryKey> = []
        var weight = 0
        for operation in waiting.prefix(Self.horizon) {
            if operation.action.isRead, !changed.contains(operation.key) {
                batch.reads.append(operation)
                continue
            }
            if left.isEmpty, batch.others.count < Self.maxOthers, weight < Self.maxWeight {
                batch.others.append(operation)
                weight += operation.action.weight
            } else {
                left.append(operation)
            }
            changed.insert(operation.key)
        }
        waiting = left + waiting.dropFirst(Self.horizon)
        return batch
    }
}
