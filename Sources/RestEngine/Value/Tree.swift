import CJSON

/// Structured content: null, booleans, integers, doubles, strings, arrays and objects in one run of bytes.
///
/// Content crosses threads and Lua states in this form. A sub-tree is a slice that shares, and so keeps, the
/// bytes of the whole; ``compacted()`` cuts it loose. Reading walks the bytes: an element of an array of n
/// costs n skips, so iterate rather than count.
///
/// One that came as JSON may still be that text: see ``TreeText``.
public struct Tree: Sendable {
    /// The bytes of what this is a part of.
    enum Form: Sendable {
        case encoded([UInt8])
        /// Always the whole of it.
        case text(TreeText)
    }

    let form: Form
    let start: UInt32
    let end: UInt32

    init(storage: [UInt8], start: UInt32, end: UInt32) {
        form = .encoded(storage)
        self.start = start
        self.end = end
    }

    init(_ text: TreeText) {
        form = .text(text)
        (start, end) = (0, 0)
    }

    /// The bytes of what this is a part of, made of the text when somebody asks first.
    var storage: [UInt8] {
        switch form {
        case .encoded(let bytes): bytes
        case .text(let text): text.encoded
        }
    }

    /// Nil for one that is encoded from the beginning.
    package var text: TreeText? {
        if case .text(let text) = form { text } else { nil }
    }

    /// Takes over bytes that an encoder of CJSON made. Bytes of other origin go through
    /// ``init(checking:limits:)``.
    public init(encoded: [UInt8]) {
        precondition(!encoded.isEmpty, "Tree: no bytes; an encoded tree has at least its tag")
        self.init(storage: encoded, start: 0, end: UInt32(encoded.count))
    }

    /// Takes over bytes of unknown origin, a persistent cache's say; nil when they are no tree.
    public init?(checking bytes: [UInt8], limits: Limits = .standard) {
        var limits = limits.raw
        guard bytes.withUnsafeBufferPointer({ cjson_tree_is_valid($0.baseAddress, $0.count, &limits) }) else {
            return nil
        }
        self.init(encoded: bytes)
    }

    /// The bytes of this tree alone.
    public var encoded: [UInt8] {
        switch form {
        case .text(let text): text.encoded
        case .encoded(let storage):
            start == 0 && Int(end) == storage.count ? storage : Array(storage[Int(start)..<Int(end)])
        }
    }

    /// How many bytes this tree has, or its text as long as it is one.
    public var byteCount: Int {
        switch form {
        case .text(let text): text.byteCount
        case .encoded: Int(end - start)
        }
    }

    /// The same value in bytes of its own.
    public func compacted() -> Tree {
        Tree(encoded: encoded)
    }

    /// True when no value in it has a class, whose number means something to this process alone. False as
    /// well when more than 1000 containers are inside each other.
    public var isClassless: Bool {
        if case .text = form { return true }
        return withUnsafeBytes {
            cjson_tree_is_classless($0.bindMemory(to: UInt8.self).baseAddress, $0.count)
        }
    }

    /// Lends the bytes of this tree alone.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch form {
        case .text(let text):
            try text.encoded.withUnsafeBufferPointer { (all) throws(Failure) in
                try body(UnsafeRawBufferPointer(all))
            }
        case .encoded(let storage):
            try storage.withUnsafeBufferPointer { (all) throws(Failure) in
                try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[Int(start)..<Int(end)])))
            }
        }
    }
}

extension Tree {
    /// What a decoder accepts.
    public struct Limits: Sendable {
        /// Containers inside each other; at most 1000.
        public var depth: Int
        /// Bytes of the result; at most 4 GiB.
        public var bytes: Int

        /// The usual limits: 512 levels deep, 256 MiB.
        public static let standard = Limits()

        /// See ``standard`` for what is left out.
        public init(depth: Int = 512, bytes: Int = 256 << 20) {
            self.depth = depth
            self.bytes = bytes
        }

        var raw: cjson_limits {
            cjson_limits(depth: UInt32(clamping: max(1, depth)), bytes: max(1, bytes), stop: nil)
        }
    }
}

/// By meaning, but for the order of keys: each value has one encoding.
extension Tree: Equatable, Hashable {
    public static func == (left: Tree, right: Tree) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
    }

    public func hash(into hasher: inout Hasher) {
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
