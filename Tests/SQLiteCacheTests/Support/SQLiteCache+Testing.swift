import RestEngine
import SQLiteCache
import TestSupport
import Testing

/// The test has waited in vain.
private struct NoAnswer: Error {}

extension EntityCache {
    func write(_ entity: Entity, _ key: CacheKey) async -> (any Error)? {
        let answer: (any Error)?? = await waiting(for: "a write") { notified in
            write(entity, for: key) { notified($0) }
        }
        return answer ?? NoAnswer()
    }

    func read(_ key: CacheKey) async -> Result<Entity?, any Error> {
        await waiting(for: "a read") { notified in read(key) { notified($0) } } ?? .failure(NoAnswer())
    }

    func remove(_ key: CacheKey) async -> (any Error)? {
        let answer: (any Error)?? = await waiting(for: "a removal") { notified in remove(key) { notified($0) }
        }
        return answer ?? NoAnswer()
    }
}

extension SQLiteCache {
    func closed() async {
        let _: Bool? = await waiting(for: "a cache to close") { notified in close { notified(true) } }
    }
}
