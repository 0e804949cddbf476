import CJSON

/// Structured content: null, booleans, integers, doubles, strings, arrays and objects in one run of bytes.
///
/// Content is passed between threads and Lua states in this form. A sub-tree is a slice that shares, and so
/// keeps, the bytes of the whole; `compacted()` makes it independent. Reading walks the bytes: access to an
/// element of an array takes time proportional to its index, so iterate instead of counting.
///
/// A tree that came as JSON may still be that text: see `TreeText`.
public struct Tree: Sendable {
    /// The bytes of the whole that this tree is a part of.
    enum Form: Sendable {
        case encoded([UInt8])
        /// Always the whole text.
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

    /// The bytes of the whole, made from the text at the first access.
    var storage: [UInt8] {
        switch form {
        case .encoded(let bytes): bytes
        case .text(let text): text.encoded
        }
    }

    /// Nil for a tree that was encoded from the beginning.
    package var text: TreeText? {
        if case .text(let text) = form { text } else { nil }
    }

    /// Takes over bytes that an encoder of CJSON made. For bytes from elsewhere use
    /// ``init(checking:limits:)``.
    package init(encoded: [UInt8]) {
        precondition(!encoded.isEmpty, "Tree: no bytes; an encoded tree has at least its tag")
        self.init(storage: encoded, start: 0, end: UInt32(encoded.count))
    }

    /// Takes over bytes from elsewhere, for example from a persistent cache; nil if they are not a tree.
    package init?(checking bytes: [UInt8], limits: Limits = .standard) {
        var limits = limits.raw
        guard bytes.withUnsafeBufferPointer({ cjson_tree_is_valid($0.baseAddress, $0.count, &limits) }) else {
            return nil
        }
        self.init(encoded: bytes)
    }

    /// The bytes of this tree without the rest of the whole.
    package var encoded: [UInt8] {
        switch form {
        case .text(let text): text.encoded
        case .encoded(let storage):
            start == 0 && Int(end) == storage.count ? storage : Array(storage[Int(start)..<Int(end)])
        }
    }

    /// The number of bytes of this tree, or of its text while it is one.
    package var byteCount: Int {
        switch form {
        case .text(let text): text.byteCount
        case .encoded: Int(end - start)
        }
    }

    /// The same value in bytes of its own.
    package func compacted() -> Tree {
        Tree(encoded: encoded)
    }

    /// Whether no value in it has a class, whose number is valid in this process only. False also if
    /// containers are nested more than 1000 deep.
    package var isClassless: Bool {
        if case .text = form { return true }
        return withUnsafeBytes {
            cjson_tree_is_classless($0.bindMemory(to: UInt8.self).baseAddress, $0.count)
        }
    }

    /// Passes the bytes of this tree to `body`.
    package func withUnsafeBytes<Result, Failure: Error>(
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
    /// The limits of a decoder.
    package struct Limits: Sendable {
        /// The depth of nested containers; at most 1000.
        package var depth: Int
        /// Bytes of the result; at most 4 GiB.
        package var bytes: Int

        /// The usual limits: 512 levels deep, 256 MiB.
        package static let standard = Limits()

        /// Omitted limits are those of ``standard``.
        package init(depth: Int = 512, bytes: Int = 256 << 20) {
            self.depth = depth
            self.bytes = bytes
        }

        var raw: cjson_limits {
            cjson_limits(depth: UInt32(clamping: max(1, depth)), bytes: max(1, bytes), stop: nil)
        }
    }
}

/// By value, except that the order of keys counts: each value has one encoding.
extension Tree: Equatable, Hashable {
    public static func == (left: Tree, right: Tree) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
    }

    public func hash(into hasher: inout Hasher) {
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
