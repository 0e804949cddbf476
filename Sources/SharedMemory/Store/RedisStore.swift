package import RestEngine

/// Values by key that all hosts with the same prefix share. Values are JSON; integers are kept as the server
/// keeps them, so that it adds to them exactly.
@EngineActor
package final class RedisStore {
    package nonisolated static let mostValueBytes = 1 << 20
    package nonisolated static let mostKeyBytes = 1 << 10
    /// The most keys that ``keys(beginningWith:completion:)`` gives.
    package nonisolated static let mostKeys = 10_000

    /// Why an operation has no result, in words for scripts.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String

        fileprivate init(_ description: String) { self.description = description }
        fileprivate init(_ failure: RedisFailure) { description = "the shared memory: \(failure.message)" }
    }

    package typealias Completion<Value> = @EngineActor (Result<Value, Failure>) -> Void

    private let engine: Engine
    private let client: RedisClient
    private let keys: RedisKeys

    package init(engine: Engine, client: RedisClient, _ keys: RedisKeys) {
        (self.engine, self.client, self.keys) = (engine, client, keys)
    }

    private static let use = "store"

    private func name(_ key: String) throws(Failure) -> String {
        guard key.utf8.count <= Self.mostKeyBytes else {
            throw Failure("a key of the shared store has \(Self.mostKeyBytes) bytes at most")
        }
        return keys.key(Self.use, key)
    }

    private static func encode(_ value: Tree) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]
        do throws(JSONError) { bytes = try value.json() } catch {
            throw Failure("the value can't be shared: \(error)")
        }
        guard bytes.count <= mostValueBytes else {
            throw Failure("a value of the shared store has \(mostValueBytes >> 20) MiB at most")
        }
        return bytes
    }

    private nonisolated static func decode(_ bytes: [UInt8]) throws(RedisFailure) -> Tree {
        do throws(JSONError) { return try Tree(json: bytes) } catch {
            throw RedisFailure(.unsuitable, "the value is not one of this program")
        }
    }

    /// Sends what `make` makes, or completes with its failure.
    private func perform<Value: Sendable>(
        _ completion: @escaping Completion<Value>, changing: Bool = false,
        _ make: () throws(Failure) -> [RedisCommand.Argument],
        reading read: @escaping @Sendable (RedisValue) throws(RedisFailure) -> Value
    ) {
        let words: [RedisCommand.Argument]
        do throws(Failure) { words = try make() } catch { return completion(.failure(error)) }
        engine.beginOffloadedWork()
        client.send(RedisCommand(words, changesData: changing), reading: read) { [engine] result in
            completion(result.mapError(Failure.init))
            engine.endOffloadedWork()
        }
    }

    // MARK: Operations

    package func get(_ key: String, completion: @escaping Completion<Tree?>) {
        perform(completion) { () throws(Failure) in
            ["GET", .text(try name(key))]
        } reading: { (value) throws(RedisFailure) in
            guard case .bytes(let bytes) = value else { return nil }
            return try Self.decode(bytes)
        }
    }

    /// - Parameter lifetime: In seconds; nil means no end.
    package func set(
        _ value: Tree, for key: String, lifetime: Double?, completion: @escaping Completion<Void>
    ) {
        perform(completion, changing: true) { () throws(Failure) in
            var words: [RedisCommand.Argument] = [
                "SET", .text(try name(key)), .bytes(try Self.encode(value)),
            ]
            if let lifetime {
                // Larger numbers would overflow in the server.
                words += ["PX", .integer(max(1, Int(min(lifetime, 1e10) * 1000)))]
            }
            return words
        } reading: { (_) throws(RedisFailure) in
        }
    }

    /// False when the key had no value.
    package func delete(_ key: String, completion: @escaping Completion<Bool>) {
        perform(completion, changing: true) { () throws(Failure) in
            ["DEL", .text(try name(key))]
        } reading: { (value) throws(RedisFailure) in
            value.integer == 1
        }
    }

    /// Integers stay integers until they overflow; the time of expiry is kept.
    private static let increase = RedisScript(
        """
        local old = redis.call('GET', KEYS[1]) or '0'
        if string.match(old, '^%-?%d+$') and string.match(ARGV[1], '^%-?%d+$') then
          local sum = redis.pcall('INCRBY', KEYS[1], ARGV[1])
          if type(sum) == 'number' then return redis.call('GET', KEYS[1]) end
        end
        local number = string.match(old, '^%-?[%d.eE+-]+$') and tonumber(old)
        if not number then return redis.error_reply('NAN') end
        local text = string.format('%.17g', number + tonumber(ARGV[1]))
        if not string.match(text, '^%-?[%d.eE+-]+$') then return redis.error_reply('NAN') end
        if string.match(text, '^%-?%d+$') then text = text .. '.0' end
        local left = redis.call('PTTL', KEYS[1])
        if left > 0 then
          redis.call('SET', KEYS[1], text, 'PX', left)
        else
          redis.call('SET', KEYS[1], text)
        end
        return text
        """)

    /// Adds to a number, which begins at zero.
    package func increase(_ key: String, by step: Tree, completion: @escaping Completion<Tree>) {
        let (name, text): (String, [UInt8])
        do throws(Failure) { (name, text) = (try self.name(key), try Self.encode(step)) } catch {
            return completion(.failure(error))
        }
        engine.beginOffloadedWork()
        client.run(Self.increase, keys: [name], [.bytes(text)]) { [engine] result in
            switch result {
            case .success(.bytes(let bytes)):
                completion(
                    Result { () throws(RedisFailure) in try Self.decode(bytes) }.mapError(Failure.init))
            case .success: completion(.failure(Failure("the shared memory gave no number")))
            case .failure(let failure) where failure.message.hasSuffix("NAN"):
                completion(.failure(Failure("the value of '\(key)' is no number")))
            case .failure(let failure): completion(.failure(Failure(failure)))
            }
            engine.endOffloadedWork()
        }
    }

    /// Keys that begin with `prefix`, sorted.
    package func keys(beginningWith prefix: String, completion: @escaping Completion<[String]>) {
        let found = FoundKeys()
        let beginning = keys.key(Self.use, "")
        engine.beginOffloadedWork()
        client.scan(keys.pattern(Self.use, beginningWith: prefix)) { names, goOn in
            found.names.formUnion(names.map { String($0.dropFirst(beginning.count)) })
            goOn(.success(found.names.count <= Self.mostKeys))
        } completion: { [engine] failure in
            if let failure {
                completion(.failure(Failure(failure)))
            } else if found.names.count > Self.mostKeys {
                completion(
                    .failure(
                        Failure("more than \(Self.mostKeys) keys begin with '\(prefix)': give a longer one")))
            } else {
                completion(.success(found.names.sorted()))
            }
            engine.endOffloadedWork()
        }
    }

    private final class FoundKeys {
        var names: Set<String> = []
    }

    /// Replaces exactly these bytes, and keeps the time of expiry.
    private static let exchange = RedisScript(
        """
        local old = redis.call('GET', KEYS[1])
        if ARGV[1] == '0' then
          if old then return 0 end
        elseif old ~= ARGV[2] then
          return 0
        end
        if ARGV[3] == '0' then
          redis.call('DEL', KEYS[1])
          return 1
        end
        local left = redis.call('PTTL', KEYS[1])
        if left > 0 then
          redis.call('SET', KEYS[1], ARGV[4], 'PX', left)
        else
          redis.call('SET', KEYS[1], ARGV[4])
        end
        return 1
        """)
    /// A value that changes so often between reading and writing is another one in any case.
    private static let mostAttempts = 4

    /// Replaces the value if it equals `old`, whatever the order of its fields. Nil is the absent value, on
    /// both sides. False when the value is another one.
    package func compareAndSet(
        _ key: String, _ old: Tree?, _ new: Tree?, completion: @escaping Completion<Bool>
    ) {
        let (name, text): (String, [UInt8]?)
        do throws(Failure) {
            name = try self.name(key)
            text = if let new { try Self.encode(new) } else { nil }
        } catch { return completion(.failure(error)) }
        engine.beginOffloadedWork()
        compareAndSet(name, old, text, Self.mostAttempts) { [engine] result in
            completion(result)
            engine.endOffloadedWork()
        }
    }

    private func compareAndSet(
        _ name: String, _ old: Tree?, _ new: [UInt8]?, _ attempts: Int,
        _ completion: @escaping Completion<Bool>
    ) {
        guard attempts > 0 else { return completion(.success(false)) }
        client.send(RedisCommand("GET", .text(name))) { [self] result in
            let current: [UInt8]?
            switch result {
            case .failure(let failure): return completion(.failure(Failure(failure)))
            case .success(.bytes(let bytes)): current = bytes
            case .success: current = nil
            }
            let isEqual =
                switch (current, old) {
                case (nil, nil): true
                case (let current?, let old?):
                    (try? Tree(json: current)).map { $0.hasSameValue(as: old) } ?? false
                default: false
                }
            guard isEqual else { return completion(.success(false)) }
            client.run(
                Self.exchange, keys: [name],
                [
                    current == nil ? "0" : "1", .bytes(current ?? []), new == nil ? "0" : "1",
                    .bytes(new ?? []),
                ]
            ) { [self] result in
                switch result {
                case .failure(let failure): completion(.failure(Failure(failure)))
                case .success(let value) where value.integer == 1: completion(.success(true))
                case .success: compareAndSet(name, old, new, attempts - 1, completion)
                }
            }
        }
    }
}
