import CJSON
import Synchronization

/// Validated JSON text that stands for a tree.
///
/// Most values that come as JSON are needed once, and in another form: as a Lua table. simdjson's own notes
/// give that form with less work, as long as the thread that read the text still has them. The first access
/// to the tree makes it, and it then replaces the text.
package final class TreeText: Sendable {
    let kind: Tree.Kind
    /// The number of the reading on the thread that read it; 0 for none.
    private let number: UInt64
    private let form: Mutex<Form>
    /// Whether the text has the form in which this host writes JSON.
    private let isWritten: Bool
    /// Is notified when a tree is needed after all and the text had to be read again.
    private let preference: TextPreference

    private enum Form {
        case text([UInt8])
        case encoded([UInt8])
    }

    /// Larger texts become trees on other threads, which have no notes of this thread.
    static let mostBytes = LargeContent.leastParsedSize

    /// Reads a text; nil if only making the tree would show whether it is valid.
    init?(_ json: [UInt8], limits: Tree.Limits, _ preference: TextPreference) {
        guard json.count <= Self.mostBytes else { return nil }
        var limits = limits.raw
        var kind = CJSON_KIND_NULL
        let reading = json.withUnsafeBufferPointer {
            cjson_read_ahead($0.baseAddress, $0.count, json.capacity, &limits, &kind)
        }
        guard reading != 0 else { return nil }
        self.kind = Tree.Kind(kind)
        number = reading
        form = Mutex(.text(json))
        isWritten = false
        self.preference = preference
    }

    /// Takes over an array or object in the form of ``Tree/json()``.
    init(written json: [UInt8], _ preference: TextPreference) {
        kind = json.first == UInt8(ascii: "[") ? .array : .object
        number = 0
        form = Mutex(.text(json))
        isWritten = true
        self.preference = preference
    }

    /// The number of the reading on the thread that read the text, and the text, which must be kept while the
    /// reading is used. Nil if a tree has replaced the text.
    package var reading: (number: UInt64, text: [UInt8])? {
        form.withLock { if case .text(let json) = $0 { (number, json) } else { nil } }
    }

    /// The text, as this host writes it; nil for text from outside, and if a tree has replaced it.
    var written: [UInt8]? {
        guard isWritten else { return nil }
        return form.withLock { if case .text(let json) = $0 { json } else { nil } }
    }

    /// The size of the current form.
    package var byteCount: Int {
        form.withLock {
            switch $0 {
            case .text(let bytes), .encoded(let bytes): bytes.count
            }
        }
    }

    /// The tree's bytes.
    var encoded: [UInt8] {
        form.withLock {
            switch $0 {
            case .encoded(let bytes): return bytes
            case .text(let json):
                let bytes = encode(json)
                $0 = .encoded(bytes)
                return bytes
            }
        }
    }

    /// Uses the notes of the reading if they still exist; otherwise reads the text again, which is known to
    /// be valid.
    private func encode(_ json: [UInt8]) -> [UInt8] {
        var buffer = cjson_buffer()
        defer { cjson_buffer_free(&buffer) }
        guard cjson_tree_from_reading(number, json.count, &buffer) else {
            preference.noteTreeWanted()
            guard let tree = try? Tree(json: json, limits: .widest) else {
                preconditionFailure("TreeText: no memory for the tree of \(json.count) bytes of JSON")
            }
            return tree.encoded
        }
        return Array(UnsafeBufferPointer(start: buffer.data, count: buffer.count))
    }

}

/// Decides whether values from one source should be kept as text or made trees at once. It prefers trees for
/// a while after a text had to be read again.
package final class TextPreference: Sendable {
    /// The number of further values to be made trees at once.
    private let trees = Atomic(0)
    /// The number of values to be made trees after one tree was needed.
    private static let treesAtOnce = 64

    package init() {}

    /// Call this for each value. If several threads do, a few more values may become trees.
    package func takesText() -> Bool {
        let left = trees.load(ordering: .relaxed)
        guard left > 0 else { return true }
        trees.store(left - 1, ordering: .relaxed)
        return false
    }

    /// Any thread.
    package func noteTreeWanted() { trees.store(Self.treesAtOnce, ordering: .relaxed) }
}

extension Tree {
    /// Larger content is published from another thread, as a tree.
    package static let mostWrittenBytes = LargeContent.leastPublishedSize

    /// Takes over an array or object that CJSON wrote as text.
    package init(written json: [UInt8], _ preference: TextPreference) {
        self.init(TreeText(written: json, preference))
    }

    /// The bytes that it holds: a part holds the whole.
    var heldBytes: Int {
        switch form {
        case .encoded(let storage): storage.count
        case .text(let text): text.byteCount
        }
    }

    /// Reads JSON text as ``init(json:limits:)`` does. A tree is made only at the first access, unless that
    /// has recently been too expensive.
    init(reading json: [UInt8], limits: Limits, _ preference: TextPreference) throws(JSONError) {
        if preference.takesText(), let text = TreeText(json, limits: limits, preference) {
            self.init(text)
        } else {
            try self.init(json: json, limits: limits)
        }
    }
}

extension Tree.Kind {
    fileprivate init(_ kind: cjson_kind) {
        self =
            switch kind {
            case CJSON_KIND_NULL: .null
            case CJSON_KIND_BOOLEAN: .boolean
            case CJSON_KIND_INTEGER: .integer
            case CJSON_KIND_DOUBLE: .double
            case CJSON_KIND_STRING: .string
            case CJSON_KIND_ARRAY: .array
            default: .object
            }
    }
}

extension Tree.Limits {
    /// Only the limits of a tree's format.
    fileprivate static let widest = Tree.Limits(depth: 1000, bytes: Int(UInt32.max))
}
