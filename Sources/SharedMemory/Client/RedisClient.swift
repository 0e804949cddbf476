internal import NIOCore
internal import NIOPosix
internal import Platform
package import RestEngine
internal import Synchronization

/// A client of a Redis or Valkey server: one connection, on a thread that all clients of the process share.
/// Of several servers it uses the primary.
///
/// It connects at the first command, and from then on whenever the connection is lost. Commands of one
/// client are pipelined and answered in order. A command that can't be answered fails, within its timeout:
/// callers go on without it. The client repeats no command, because the server may have run it.
package final class RedisClient: Sendable {
    package struct Settings: Sendable {
        package var servers: RedisServers
        /// Seconds for a command, from its call to its reply.
        package var timeout = 0.05
        package var rules = RedisLink.Rules()
        package var limits = RESPReader.Limits()
        /// The most commands without replies, and their bytes.
        package var mostCommands = 4096
        package var mostBytes = 64 << 20

        package init(_ servers: RedisServers, timeout: Double = 0.05) {
            self.servers = servers
            self.timeout = timeout
        }

        package init(_ address: RedisAddress, timeout: Double = 0.05) {
            self.init(RedisServers(address), timeout: timeout)
        }
    }

    /// Where commands are sent, and where their completions are called.
    package typealias Isolation = EngineActor

    package let settings: Settings
    /// The failures of the server, for log, health and metrics.
    package let condition: RedisCondition
    private let room: RedisRoom
    private let answers = RedisAnswers()
    private let mailbox = Mutex<[RedisRequest]>([])
    private let eventLoop: any EventLoop
    private let driver: NIOLoopBoundBox<RedisDriver?>

    /// - Parameters:
    ///   - log: Gets one line when a kind of failure begins, and one when it ends. Called on any thread.
    ///   - onPush: Gets messages that answer no command (RESP3), on the client's thread.
    package init(
        _ settings: Settings, log: @escaping @Sendable (RedisCondition.Line) -> Void = { _ in },
        onPush: (@Sendable ([RedisValue]) -> Void)? = nil
    ) {
        self.settings = settings
        condition = RedisCondition(settings.servers.description, log: log)
        room = RedisRoom(commands: settings.mostCommands, bytes: settings.mostBytes)
        let eventLoop = Self.group.any()
        self.eventLoop = eventLoop
        let driver = NIOLoopBoundBox<RedisDriver?>.makeEmptyBox(eventLoop: eventLoop)
        self.driver = driver
        eventLoop.execute { [room, condition] in
            driver.value = RedisDriver(settings, eventLoop, room, condition, onPush: onPush)
        }
    }

    /// It lives as long as the process, because clients come and go with scripts.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    deinit {
        eventLoop.execute { [driver] in
            driver.value?.close()
            driver.value = nil
        }
    }

    /// The number of commands that have no reply yet.
    package var openCommands: Int { room.count }

    // MARK: Commands

    /// Sends a command. An error reply is a failure. `completion` may be called before this returns, when
    /// there is no room for the command.
    @EngineActor
    package func send(
        _ command: RedisCommand, timeout: Double? = nil,
        completion: @escaping @EngineActor (Result<RedisValue, RedisFailure>) -> Void
    ) {
        send(
            command, timeout: timeout, reading: { (value) throws(RedisFailure) in value },
            completion: completion)
    }

    /// The same. `read` makes the value on the client's thread, so that the engine loop need not.
    @EngineActor
    package func send<Value: Sendable>(
        _ command: RedisCommand, timeout: Double? = nil,
        reading read: @escaping @Sendable (RedisValue) throws(RedisFailure) -> Value,
        completion: @escaping @EngineActor (Result<Value, RedisFailure>) -> Void
    ) {
        submit(
            .ready(command.bytes), 1, weight: command.bytes.count, command.changesData, timeout,
            reading: { (values) throws(RedisFailure) in try read(Self.only(values)) }, completion)
    }

    /// Makes the command on the client's thread, for values whose encoding takes long.
    ///
    /// - Parameter weight: About how many bytes it will have.
    @EngineActor
    package func send(
        weight: Int, changesData: Bool, timeout: Double? = nil,
        making make: @escaping @Sendable () throws(RedisFailure) -> RedisCommand,
        completion: @escaping @EngineActor (Result<RedisValue, RedisFailure>) -> Void
    ) {
        submit(
            .made { () throws(RedisFailure) in try make().bytes }, 1, weight: weight, changesData, timeout,
            reading: { (values) throws(RedisFailure) in try Self.only(values) }, completion)
    }

    /// Sends commands in one write, with one reply for each. An error reply is the failure of its command.
    @EngineActor
    package func send(
        _ commands: [RedisCommand], timeout: Double? = nil,
        completion: @escaping @EngineActor (Result<[Result<RedisValue, RedisFailure>], RedisFailure>) -> Void
    ) {
        guard !commands.isEmpty else { return completion(.success([])) }
        let bytes = commands.flatMap(\.bytes)
        submit(
            .ready(bytes), commands.count, weight: bytes.count, commands.contains(where: \.changesData),
            timeout,
            reading: { (values) throws(RedisFailure) in values.map(Self.result) }, completion)
    }

    @EngineActor
    private func submit<Value: Sendable>(
        _ body: RedisRequest.Body, _ replies: Int, weight: Int, _ changesData: Bool, _ timeout: Double?,
        reading read: @escaping @Sendable ([RedisValue]) throws(RedisFailure) -> Value,
        _ completion: @escaping @EngineActor (Result<Value, RedisFailure>) -> Void
    ) {
        guard room.enter(weight) else {
            let failure = RedisFailure(.overloaded, "too many commands wait for the server")
            condition.note(failure, at: ClockReading.uptime)
            return completion(.failure(failure))
        }
        let id = answers.expect(completion)
        let request = RedisRequest(
            id: id, body: body, replies: replies, weight: weight,
            deadline: ClockReading.uptime + (timeout ?? settings.timeout), changesData: changesData
        ) { [answers] result in
            let value: Result<Value, RedisFailure>
            switch result {
            case .failure(let failure): value = .failure(failure)
            case .success(let values):
                value = Result { () throws(RedisFailure) in try read(values) }
            }
            return { answers.give(value, to: id) }
        }
        post(request)
    }

    private func post(_ request: RedisRequest) {
        let isFirst = mailbox.withLock { waiting in
            waiting.append(request)
            return waiting.count == 1
        }
        guard isFirst else { return }
        // The client stays until its commands are on their way.
        eventLoop.execute { [self] in driver.value?.submit(takeMail()) }
    }

    private func takeMail() -> [RedisRequest] {
        mailbox.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    private static func result(_ value: RedisValue) -> Result<RedisValue, RedisFailure> {
        if case .error(let text) = value { .failure(RedisFailure(reply: text)) } else { .success(value) }
    }

    private static func only(_ values: [RedisValue]) throws(RedisFailure) -> RedisValue {
        guard let value = values.first else { throw RedisFailure(.protocol, "a reply is missing") }
        return try result(value).get()
    }
}
