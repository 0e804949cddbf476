/// Keeps entities in this process, up to a number of bytes; the least recently used go first.
///
/// One cache may serve any stages of any services: a key consists of service, URL and stage. Content is kept
/// as it is, including the values of Swift transformers. It counts in the ``ContentBudget`` of the first
/// engine that the cache serves, and is removed before the content of resources when the budget is full.
@EngineActor
public final class MemoryCache: EntityCache {
    private struct Key: Hashable, Sendable {
        let service: String
        let resource: ResourceKey
        let stage: String
    }

    /// The limit for the bytes of content.
    public nonisolated let maxBytes: Int
    /// The estimated size of the entities.
    public var bytes: Int { share?.bytes ?? 0 }
    /// The share of the budget; nil until the cache has a key.
    private var share: ContentShare?
    private var entities = RecencyList<Key, Entity>()

    /// - Parameter maxBytes: Bytes of content; beyond them the least recently used entity is removed.
    public nonisolated init(maxBytes: Int = 16 << 20) { self.maxBytes = maxBytes }

    public nonisolated var description: String { "memory cache" }

    /// The number of entities.
    public var count: Int { entities.count }

    public nonisolated var separatesPartitions: Bool { true }

    /// An invalid resource has no key.
    public func key(for resource: Resource, stage: String) -> CacheKey? {
        guard resource.url != nil else { return nil }
        if share == nil { share = resource.engine.contentBudget.share(of: self) }
        return CacheKey(Key(service: resource.core.name, resource: resource.key, stage: stage))
    }

    public func read(_ key: CacheKey, completion: @escaping @EngineActor (Result<Entity?, any Error>) -> Void)
    {
        completion(.success((key.value as? Key).flatMap { entities.use($0) }))
    }

    /// An entity that is larger than the whole cache, or that does not fit into the budget, is not kept; the
    /// entity that it replaces is removed all the same.
    public func write(
        _ entity: Entity, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        if let own = key.value as? Key {
            forget(own)
            let kept = entity.detached
            let size = Self.size(of: kept, at: own)
            if size <= maxBytes, let share {
                while bytes + size > maxBytes, dropOldest() {}
                if share.grow(by: size) { entities.insert(kept, at: own) }
            }
        }
        completion(nil)
    }

    public func updateTimestamp(
        _ timestamp: Double, for key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        if let own = key.value as? Key, var entity = entities.use(own) {
            entity.timestamp = timestamp
            entities.insert(entity, at: own)
        }
        completion(nil)
    }

    public func remove(_ key: CacheKey, completion: @escaping @EngineActor ((any Error)?) -> Void) {
        if let key = key.value as? Key { forget(key) }
        completion(nil)
    }

    public func removeAll(
        of service: String,
        where matches: @escaping @Sendable (_ partition: String?, _ url: String) -> Bool,
        completion: @escaping @EngineActor ((any Error)?) -> Void
    ) {
        for key in entities.keys
        where key.service == service && matches(key.resource.partition, key.resource.url) {
            forget(key)
        }
        completion(nil)
    }

    private func forget(_ key: Key) {
        guard let entity = entities.remove(key) else { return }
        share?.shrink(by: Self.size(of: entity, at: key))
    }

    /// Removes the least recently used entity. False when there is none.
    func dropOldest() -> Bool {
        guard let oldest = entities.oldest else { return false }
        forget(oldest)
        return true
    }

    private static func size(of entity: Entity, at key: Key) -> Int {
        entity.estimatedBytes + key.resource.url.utf8.count + key.stage.utf8.count
    }
}

extension Entity {
    /// The approximate size in memory, including 200 bytes for the structures around it. The size of a Swift
    /// transformer's value is unknown and counts as 0.
    package var estimatedBytes: Int {
        let own =
            switch content {
            case .bytes(let bytes): bytes.count
            case .text(let text): text.utf8.count
            case .json(let tree), .value(let tree): tree.byteCount
            case .image(let image): image.bytes.count
            case .native: 0
            }
        let held = own + (body?.heldBytes(beside: content) ?? 0)
        return headers.fields.reduce(200 + held) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    }

    /// A copy whose content does not keep the bytes of a larger tree alive, which would not be counted.
    fileprivate var detached: Entity {
        // A body that was read is complete.
        guard body == nil else { return self }
        var copy = self
        switch content {
        case .json(let tree): copy.content = .json(tree.compacted())
        case .value(let tree): copy.content = .value(tree.compacted())
        default: break
        }
        return copy
    }
}

/// A dictionary that knows which key was used least recently.
struct RecencyList<Key: Hashable, Value> {
    private struct Node {
        let key: Key
        var value: Value
        var newer: Int?
        var older: Int?
    }

    private var places: [Key: Int] = [:]
    /// Linked by index; free ones are nil.
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var newestIndex: Int?
    private var oldestIndex: Int?

    var count: Int { places.count }

    /// In any order.
    var keys: [Key] { Array(places.keys) }

    var oldest: Key? { oldestIndex.flatMap { nodes[$0]?.key } }

    /// Returns the value and makes it the most recently used.
    mutating func use(_ key: Key) -> Value? {
        guard let value = remove(key) else { return nil }
        insert(value, at: key)
        return value
    }

    mutating func insert(_ value: Value, at key: Key) {
        remove(key)
        let node = Node(key: key, value: value, newer: nil, older: newestIndex)
        let index: Int
        if let reused = free.popLast() {
            index = reused
            nodes[index] = node
        } else {
            index = nodes.count
            nodes.append(node)
        }
        if let newestIndex { nodes[newestIndex]?.newer = index }
        newestIndex = index
        oldestIndex = oldestIndex ?? index
        places[key] = index
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let index = places.removeValue(forKey: key), let node = nodes[index] else { return nil }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newestIndex = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldestIndex = node.newer }
        nodes[index] = nil
        free.append(index)
        return node.value
    }
}
