import RestEngine

/// Operations that wait, and which of them are next.
///
/// Those of one key keep their order. A read that follows no change of its key goes before all changes, so it
/// waits for one batch at most, however many changes stand in line.
struct OperationLine {
    struct Batch {
        /// Reads whose keys no operation before them changes.
        var reads: [Operation] = []
        /// The operations of one transaction: changes, and reads of the keys that they change.
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
        var changesAll = false
        var weight = 0
        for operation in waiting.prefix(Self.horizon) {
            if operation.action.isRead, !changesAll, !changed.contains(operation.key) {
                batch.reads.append(operation)
                continue
            }
            if left.isEmpty, batch.others.count < Self.maxOthers, weight < Self.maxWeight {
                batch.others.append(operation)
                weight += operation.action.weight
            } else {
                left.append(operation)
            }
            if case .removeAll = operation.action { changesAll = true }
            changed.insert(operation.key)
        }
        waiting = left + waiting.dropFirst(Self.horizon)
        return batch
    }
}

/// Something to do for a key.
struct Operation: Sendable {
    let key: EntryKey
    let action: Action
    /// Whom to tell.
    var answer: Answers.ID = 0

    enum Action: Sendable {
        case read
        case write(Entity)
        case updateTimestamp(Double)
        case remove
        /// Of all stages and users of the key's service.
        case removeAll(@Sendable (_ partition: String?, _ url: String) -> Bool)

        var isRead: Bool { if case .read = self { true } else { false } }

        /// About how many bytes it holds while it waits.
        var weight: Int {
            guard case .write(let entity) = self else { return 0 }
            return switch entity.content {
            case .bytes(let bytes): bytes.count
            case .text(let text): text.utf8.count
            case .json(let tree), .value(let tree): tree.byteCount
            case .image(let image): image.bytes.count
            case .native: 0
            }
        }
    }
}

/// Where the entity of a resource is kept. The format of entities is a part of each key too, so that programs
/// of different versions can share a file.
struct EntryKey: Hashable, Sendable {
    var stage: String
    var user: String
    var service: String
    /// See ``place(_:_:)``.
    var url: String

    /// The place of a resource: its URL, behind the name of its partition and a line break if it has one. No
    /// name and no URL has a line break.
    static func place(_ partition: String?, _ url: String) -> String {
        partition.map { $0 + "\n" + url } ?? url
    }

    /// The partition and the URL of a place.
    static func parts(of place: String) -> (partition: String?, url: String) {
        let parts = place.split(separator: "\n", maxSplits: 1).map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : (nil, place)
    }

    var byteCount: Int { stage.utf8.count + user.utf8.count + service.utf8.count + url.utf8.count }
}
