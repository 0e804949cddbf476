import ArgumentParser
import RestEngine
import SharedMemory

/// Reads an entry of `rest.cache.redis` many times, and the same bytes by a bare GET of the same client, in
/// turn.
struct SharedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shared", abstract: "Microseconds of a hit in a Redis server, beside a bare GET.")

    @Argument(help: "The server, such as unix:/run/redis/redis.sock.") var url: String
    @Option var count = 5000
    @Option var concurrency = 1
    @Option(help: "Bytes of the JSON of the entity.") var size = 1024

    func run() async throws { try await measure() }

    private struct Unusable: Error {}

    @EngineActor
    private func measure() async throws {
        let engine = Engine.ofHost()
        let client = RedisClient(RedisClient.Settings(try RedisAddress(url), timeout: 10))
        guard let keys = RedisKeys(prefix: "resthost-bench") else { throw Unusable() }
        let cache = RedisCache(engine: engine, client: client, RedisCache.Settings(keys))
        let service = Service(engine: engine, name: "bench", baseURL: try BaseURL("https://api.test/"))
        guard let key = try cache.key(for: service.resource("/item"), stage: "model") else {
            throw Unusable()
        }
        let item: Tree = ["name": "item", "count": 12, "price": 9.5]
        let items = Tree(Array(repeating: item, count: max(1, size / 40)))
        let entity = Entity(content: .json(items), timestamp: 1)
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            cache.write(entity, for: key) { failure in
                if let failure { done.resume(throwing: failure) } else { done.resume() }
            }
        }
        let bare = RedisCommand("GET", .text(cache.name(of: key) ?? ""))
        var (hit, get) = (Double.infinity, Double.infinity)
        for _ in 0..<7 {
            get = min(get, try await seconds { done in client.send(bare) { done((try? $0.get()) != nil) } })
            hit = min(hit, try await seconds { done in cache.read(key) { done((try? $0.get()) != nil) } })
        }
        func microseconds(_ seconds: Double) -> Double { (seconds / Double(count) * 1e7).rounded() / 10 }
        print(
            "{\"hit_microseconds\":\(microseconds(hit)),\"get_microseconds\":\(microseconds(get)),"
                + "\"ratio\":\((hit / get * 1000).rounded() / 1000)}")
    }

    /// The time of `count` operations, so many at once.
    @EngineActor
    private func seconds(
        _ begin: @escaping @EngineActor (@escaping @EngineActor (Bool) -> Void) -> Void
    ) async throws -> Double {
        let clock = SystemClock()
        let start = clock.uptime
        let failures: Int = await withCheckedContinuation { ended in
            let round = Round(count, begin) { ended.resume(returning: $0) }
            for _ in 0..<concurrency { round.next() }
        }
        if failures > 0 { throw Unusable() }
        return clock.uptime - start
    }

    @EngineActor
    private final class Round {
        private let begin: @EngineActor (@escaping @EngineActor (Bool) -> Void) -> Void
        private let end: @EngineActor (_ failures: Int) -> Void
        private var unbegun: Int
        private var left: Int
        private var failures = 0

        init(
            _ count: Int, _ begin: @escaping @EngineActor (@escaping @EngineActor (Bool) -> Void) -> Void,
            end: @escaping @EngineActor (_ failures: Int) -> Void
        ) {
            (unbegun, left) = (count, count)
            (self.begin, self.end) = (begin, end)
        }

        func next() {
            guard unbegun > 0 else { return }
            unbegun -= 1
            begin { [self] isDone in
                if !isDone { failures += 1 }
                left -= 1
                if left == 0 { end(failures) } else { next() }
            }
        }
    }
}
