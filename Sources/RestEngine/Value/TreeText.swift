import CJSON
import Synchronization

/// JSON text that is known to be right, in place of the tree that it stands for.
///
/// Most values that come as JSON are wanted once and in another form: as a table of Lua, which simdjson's own
/// notes give with less work while the thread that read the text has them. A tree is made for whoever asks
/// for one first, and kept in place of the text.
package final class TreeText: Sendable {
    let kind: Tree.Kind
    /// What the thread that read it knows it by; 0 for none.
    private let number: UInt64
    private let form: Mutex<Form>
    /// It is written as this host writes JSON.
    private let isWritten: Bool
    /// Hears of it when a tree is wanted after all, at the price of a reading.
    private let preference: TextPreference

    private enum Form {
        case text([UInt8])
        case encoded([UInt8])
    }

    /// Larger texts become trees on other threads, to which no notes of this one go.
    static let mostBytes = LargeContent.leastParsedSize

    /// Reads a text; nil when only the tree tells whether it is right.
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

    /// Takes over an array or object that was written as ``Tree/json()`` writes it.
    init(written json: [UInt8], _ preference: TextPreference) {
        kind = json.first == UInt8(ascii: "[") ? .array : .object
        number = 0
        form = Mutex(.text(json))
        isWritten = true
        self.preference = preference
    }

    /// What the thread that read the text last knows it by, and what must be there while that is used. Nil
    /// when a tree has the text's place.
    package var reading: (number: UInt64, text: [UInt8])? {
        form.withLock { if case .text(let json) = $0 { (number, json) } else { nil } }
    }

    /// The text, as this host writes it; nil for one that came from outside, and when a tree has its place.
    var written: [UInt8]? {
        guard isWritten else { return nil }
        return form.withLock { if case .text(let json) = $0 { json } else { nil } }
    }

    /// Of the form that is there.
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

    /// Of notes, while they are there: else the text is read again, with which nothing was wrong.
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

/// Whether values that come from one place are best kept as text, or made trees at once, since of some of
/// late the text had to be read again.
package final class TextPreference: Sendable {
    /// So many more values become trees.
    private let trees = Atomic(0)
    /// Behind one of which a tree was wanted.
    private static let treesAtOnce = 64

    package init() {}

    /// Asked for each value; by several threads it may be some values more.
    package func takesText() -> Bool {
        let left = trees.load(ordering: .relaxed)
        guard left > 0 else { return true }
        trees.store(left - 1, ordering: .relaxed)
        return false
    }

    /// On any thread.
    package func noteTreeWanted() { trees.store(Self.treesAtOnce, ordering: .relaxed) }
}

extension Tree {
    /// A content of more bytes is published from another thread, and is a tree.
    package static let mostWrittenBytes = LargeContent.leastPublishedSize

    /// Takes over an array or object that CJSON wrote as text.
    package init(written json: [UInt8], _ preference: TextPreference) {
        self.init(TreeText(written: json, preference))
    }

    /// Bytes that are kept with it: a part keeps the whole.
    var heldBytes: Int {
        switch form {
        case .encoded(let storage): storage.count
        case .text(let text): text.byteCount
        }
    }

    /// Reads JSON text as ``init(json:limits:)``, and makes a tree of it when somebody asks for one, unless
    /// that was too dear of late.
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
    /// None but what a tree's format has.
    fileprivate static let widest = Tree.Limits(depth: 1000, bytes: Int(UInt32.max))
}
