import RestEngine

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
