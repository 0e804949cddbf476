internal import RestEngine

/// A script that the server runs as one step. It is sent by its hash, and whole if the server doesn't know
/// it.
struct RedisScript: Sendable {
    let text: String
    let hash: String?
    let changesData: Bool

    init(_ text: String, changesData: Bool = true) {
        self.text = text
        self.changesData = changesData
        // Nil where the library refuses SHA-1; then the text is sent each time.
        hash = HashFunction.sha1.digest(of: Array(text.utf8)).map { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// The command with the text: for values whose bytes are much more than it, and are made elsewhere.
    func whole(_ keys: [String], _ arguments: [RedisCommand.Argument]) -> RedisCommand {
        command("EVAL", text, keys, arguments)
    }

    fileprivate func command(
        _ name: String, _ body: String, _ keys: [String], _ arguments: [RedisCommand.Argument]
    ) -> RedisCommand {
        RedisCommand(
            [.text(name), .text(body), .integer(keys.count)] + keys.map { .text($0) } + arguments,
            changesData: changesData)
    }
}

extension RedisClient {
    /// Runs a script. Both attempts share the timeout only loosely: the second has it again, and comes only
    /// after the server has restarted or dropped its scripts.
    @EngineActor
    func run(
        _ script: RedisScript, keys: [String], _ arguments: [RedisCommand.Argument], timeout: Double? = nil,
        completion: @escaping @EngineActor (Result<RedisValue, RedisFailure>) -> Void
    ) {
        let whole = script.command("EVAL", script.text, keys, arguments)
        guard let hash = script.hash else { return send(whole, timeout: timeout, completion: completion) }
        send(script.command("EVALSHA", hash, keys, arguments), timeout: timeout) { [self] result in
            if case .failure(let failure) = result, failure.kind == .noScript {
                send(whole, timeout: timeout, completion: completion)
            } else {
                completion(result)
            }
        }
    }

    /// Goes through the keys that match a pattern, in steps, so that neither server nor host stand still.
    /// A key that is there all the time is given, one that comes or goes meanwhile perhaps, and some twice.
    ///
    /// - Parameter step: Gets some keys, and calls its argument to go on, with false to end.
    @EngineActor
    func scan(
        _ pattern: String, timeout: Double = RedisClient.scanTimeout,
        step:
            @escaping @EngineActor ([String], @escaping @EngineActor (Result<Bool, RedisFailure>) -> Void) ->
            Void,
        completion: @escaping @EngineActor (RedisFailure?) -> Void
    ) {
        scan(pattern, from: "0", timeout, step, completion)
    }

    /// Seconds for one step. It is not on the way of any request.
    static let scanTimeout = 2.0
    private static let keysOfStep = 500

    @EngineActor
    private func scan(
        _ pattern: String, from cursor: String, _ timeout: Double,
        _ step:
            @escaping @EngineActor ([String], @escaping @EngineActor (Result<Bool, RedisFailure>) -> Void) ->
            Void,
        _ completion: @escaping @EngineActor (RedisFailure?) -> Void
    ) {
        let command = RedisCommand(
            "SCAN", .text(cursor), "MATCH", .text(pattern), "COUNT", .integer(Self.keysOfStep))
        send(command, timeout: timeout) { [self] result in
            switch result {
            case .failure(let failure): completion(failure)
            case .success(let value):
                guard let parts = value.elements, parts.count == 2, let next = parts[0].text,
                    let keys = parts[1].elements
                else { return completion(RedisFailure(.protocol, "the reply to SCAN has another form")) }
                step(keys.compactMap(\.text)) { [self] result in
                    switch result {
                    case .failure(let failure): completion(failure)
                    case .success(false): completion(nil)
                    case .success(true) where next == "0": completion(nil)
                    case .success(true): scan(pattern, from: next, timeout, step, completion)
                    }
                }
            }
        }
    }
}
