public import RestEngine
import Synchronization

/// Values by key that outlive one load of a script, and that several Lua states share.
///
/// Values are encoded trees, so nothing of a Lua state stays behind. Times are Unix seconds, given by the
/// caller. Safe on any thread.
public final class ScriptStore: Sendable {
    /// A value that the store begins with.
    public struct Item: Sendable {
        public let key: String
        public let value: Tree
        /// Unix seconds at which the value expires; nil when it does not.
        public let expiresAt: Double?

        public init(key: String, value: Tree, expiresAt: Double?) {
            self.key = key
            self.value = value
            self.expiresAt = expiresAt
        }
    }

    /// Called for each change, in order, with the time of expiry. A nil value means that the key was removed.
    /// It is called under a lock, so it must return at once and must not use the store.
    public typealias Journal = @Sendable (_ key: String, _ value: Tree?, _ expiresAt: Double?) -> Void

    private struct Entry {
        var value: Tree
        var expiresAt: Double?
        var bytes: Int
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var bytes = 0
    }

    /// The bytes that count for an entry in addition to its key and value.
    private static let overhead = 128
    public static let standardMaxBytes = 64 << 20

    private let maxBytes: Int
    private let journal: Journal?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maxBytes: The limit of keys and values together, with some bytes for each entry. The first
    ///     items may exceed it: then no value is added until there is room.
    ///   - journal: Keeps the items beyond the process; nil for none.
    ///   - items: The items of an earlier process.
    public init(maxBytes: Int = ScriptStore.standardMaxBytes, items: [Item] = [], journal: Journal? = nil) {
        self.maxBytes = maxBytes
        self.journal = journal
        state.withLock { state in
            for item in items {
                let bytes = Self.bytes(item.key, item.value)
                state.bytes += bytes
                state.entries[item.key] = Entry(value: item.value, expiresAt: item.expiresAt, bytes: bytes)
            }
        }
    }

    private static func bytes(_ key: String, _ value: Tree) -> Int {
        key.utf8.count + value.byteCount + overhead
    }

    public func value(for key: String, at now: Double) -> Tree? {
        state.withLock { state in
            expire(key, at: now, &state)
            return state.entries[key]?.value
        }
    }

    /// `lifetime` is in seconds; nil means no end.
    public func set(_ value: Tree, for key: String, lifetime: Double? = nil, at now: Double)
        throws(ScriptStoreError)
    {
        try locked { state throws(ScriptStoreError) in
            try put(value, key, lifetime.map { now + $0 }, now, &state)
        }
    }

    /// Adds to a number, which begins at zero, and keeps its expiry. Integers stay integers until they
    /// overflow.
    public func increase(_ key: String, by step: Tree, at now: Double) throws(ScriptStoreError) -> Tree {
        try locked { state throws(ScriptStoreError) in
            expire(key, at: now, &state)
            let old = state.entries[key]
            let sum = try Self.sum(old?.value ?? Tree(0), step)
            try put(sum, key, old?.expiresAt, now, &state)
            return sum
        }
    }

    /// False when the key had no value.
    @discardableResult
    public func delete(_ key: String, at now: Double) -> Bool {
        state.withLock { state in
            expire(key, at: now, &state)
            return remove(key, &state)
        }
    }

    /// Keys that begin with `prefix`, sorted.
    public func keys(_ prefix: String, at now: Double) -> [String] {
        state.withLock { state in
            expireAll(at: now, &state)
            return state.entries.keys.filter { $0.hasPrefix(prefix) }.sorted()
        }
    }

    // MARK: Under the lock

    private func locked<Result: Sendable>(
        _ body: (inout State) throws(ScriptStoreError) -> Result
    ) throws(ScriptStoreError) -> Result {
        // `Mutex` loses the error type of closures with several statements. A `Result` keeps it.
        try state.withLock { state in Swift.Result { () throws(ScriptStoreError) in try body(&state) } }.get()
    }

    private func put(
        _ value: Tree, _ key: String, _ expiresAt: Double?, _ now: Double, _ state: inout State
    ) throws(ScriptStoreError) {
        let bytes = Self.bytes(key, value)
        let old = state.entries[key]?.bytes ?? 0
        if state.bytes - old + bytes > maxBytes { expireAll(at: now, &state) }
        let left = state.entries[key]?.bytes ?? 0
        guard state.bytes - left + bytes <= maxBytes else { throw .full(limit: maxBytes) }
        state.bytes += bytes - left
        let kept = value.compacted()
        state.entries[key] = Entry(value: kept, expiresAt: expiresAt, bytes: bytes)
        journal?(key, kept, expiresAt)
    }

    private static func sum(_ old: Tree, _ step: Tree) throws(ScriptStoreError) -> Tree {
        if let a = old.int, let b = step.int {
            let (sum, overflowed) = a.addingReportingOverflow(b)
            if !overflowed { return Tree(sum) }
        }
        guard let a = old.double, let b = step.double else { throw .notANumber }
        return Tree(a + b)
    }

    private func expire(_ key: String, at now: Double, _ state: inout State) {
        if let end = state.entries[key]?.expiresAt, end <= now { remove(key, &state) }
    }

    private func expireAll(at now: Double, _ state: inout State) {
        for (key, entry) in state.entries where entry.expiresAt.map({ $0 <= now }) ?? false {
            remove(key, &state)
        }
    }

    @discardableResult
    private func remove(_ key: String, _ state: inout State) -> Bool {
        guard let entry = state.entries.removeValue(forKey: key) else { return false }
        state.bytes -= entry.bytes
        journal?(key, nil, nil)
        return true
    }
}

/// The arguments of `rest.store.open`.
public struct DurableStoreSettings: Sendable {
    /// The path of the file: absolute, without links.
    public let path: String
    /// The most bytes of keys and values together.
    public let maxBytes: Int

    public init(path: String, maxBytes: Int = ScriptStore.standardMaxBytes) {
        self.path = path
        self.maxBytes = maxBytes
    }
}

public enum ScriptStoreError: Error, Sendable, Equatable {
    case full(limit: Int)
    case notANumber
}
