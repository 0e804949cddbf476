import RestEngine
import SQLiteCache

extension EntityCache {
    func write(_ entity: Entity, _ key: CacheKey) async -> (any Error)? {
        await withCheckedContinuation { done in write(entity, for: key) { done.resume(returning: $0) } }
    }

    func read(_ key: CacheKey) async -> Result<Entity?, any Error> {
        await withCheckedContinuation { done in read(key) { done.resume(returning: $0) } }
    }

    func remove(_ key: CacheKey) async -> (any Error)? {
        await withCheckedContinuation { done in remove(key) { done.resume(returning: $0) } }
    }
}

extension SQLiteCache {
    func closed() async { await withCheckedContinuation { done in close { done.resume() } } }
}
