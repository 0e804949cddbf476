internal import NIOCore
internal import NIOPosix
internal import Platform
internal import RestEngine

/// Performs what ``RedisLink`` decides, and carries results to the engine loop: those of one read together.
/// Event loop only.
final class RedisDriver {
    private let settings: RedisClient.Settings
    private let eventLoop: any EventLoop
    private let room: RedisRoom
    private let condition: RedisCondition
    private let onPush: (@Sendable ([RedisValue]) -> Void)?
    private var link: RedisLink
    private var rotation: RedisRotation
    private var connection: RedisConnection?
    /// Within a round through the servers.
    private var isConnecting = false
    /// Counts attempts to connect, so that a late end of an old one has no effect.
    private var attempt = 0
    private var requests: [RedisLink.ID: RedisRequest] = [:]
    /// Requests whose callers have their failure, but whose replies may still come.
    private var weights: [RedisLink.ID: Int] = [:]
    private var deliveries: [RedisRequest.Delivery] = []
    private var tally = RedisCondition.Tally()
    private var timer: Scheduled<Void>?
    private var timerEnd = Double.infinity
    private var security: RedisSecurity

    init(
        _ settings: RedisClient.Settings, _ eventLoop: any EventLoop, _ room: RedisRoom,
        _ condition: RedisCondition, onPush: (@Sendable ([RedisValue]) -> Void)?
    ) {
        self.settings = settings
        self.eventLoop = eventLoop
        self.room = room
        self.condition = condition
        self.onPush = onPush
        var rules = settings.rules
        if settings.servers.mayMove { rules.checkPeriod = rules.idle }
        link = RedisLink(rules)
        rotation = RedisRotation(settings.servers)
        security = RedisSecurity(authorityFile: settings.servers.authorityFile)
    }

    private var now: Double { ClockReading.uptime }
    private var random: Double { Double.random(in: 0...1) }

    // MARK: From the client

    func submit(_ new: [RedisRequest]) {
        let now = now
        for request in new {
            requests[request.id] = request
            weights[request.id] = request.weight
            perform(link.submit(request.id, replies: request.replies, deadline: request.deadline, at: now))
            arm(request.deadline)
        }
        finishTurn()
    }

    func close() {
        timer?.cancel()
        perform(link.close())
        finishTurn()
    }

    // MARK: From the connection

    func connected(_ connection: RedisConnection, version: Int) {
        guard connection === self.connection else { return connection.close() }
        isConnecting = false
        condition.noteVersion(version)
        perform(link.connected(at: now))
        connection.flush()
        rearm()
    }

    func received(_ value: RedisValue) {
        perform(link.received(value, at: now, random: random))
        if rotation.mayMove, RedisRole.isOfReplica(value) { leaveReplica() }
        // The connection doesn't call any more.
        if connection == nil {
            finishTurn()
            rearm()
        }
    }

    /// The sentinel of the connection has named a server.
    func named(_ connection: RedisConnection, host: String, port: Int) {
        guard connection === self.connection else { return connection.close() }
        connection.close()
        if let next = rotation.follow(host: host, port: port) { return open(next) }
        lost(
            RedisFailure(
                .unreachable,
                "it names \(host):\(port), which the script may only use if it is in the list, too"))
    }

    func received(push values: [RedisValue]) { onPush?(values) }

    func readEnded() { finishTurn() }

    func lost(_ failure: RedisFailure) {
        connection = nil
        attempt += 1
        var end = failure
        if isConnecting {
            if let next = rotation.failed(failure) { return open(next) }
            (isConnecting, end) = (false, rotation.failure)
            condition.use(nil)
        }
        perform(link.lost(end, at: now, random: random))
        finishTurn()
        rearm()
    }

    /// The server was the primary, and is one no longer.
    private func leaveReplica() {
        guard link.isReady else { return }
        disconnect()
        rotation.demoted()
        perform(link.lost(RedisRole.replicaFailure, at: now, random: random))
    }

    // MARK: Actions

    private func perform(_ actions: [RedisLink.Action]) {
        for action in actions {
            switch action {
            case .connect:
                isConnecting = true
                open(rotation.begin())
            case .disconnect: disconnect()
            case .write(let id): write(id)
            case .probe: connection?.write(rotation.mayMove ? RedisRole.question.bytes : Self.ping)
            case .succeed(RedisLink.probeID, let values):
                // A user who may not ask for the role can use the server all the same.
                finish(RedisLink.probeID, .success(rotation.mayMove ? [] : values))
                if rotation.mayMove, values.first.map({ RedisRole($0) }) == .replica { leaveReplica() }
            case .succeed(let id, let values): finish(id, .success(values))
            case .fail(let id, let failure): finish(id, .failure(failure))
            case .release(let id):
                requests[id] = nil
                if let weight = weights.removeValue(forKey: id) { room.leave(weight) }
            case .noteReady: condition.noteReady(at: now)
            case .noteLost(let failure): condition.noteLost(failure, at: now)
            }
        }
    }

    private static let ping = RedisCommand("PING").bytes

    private func write(_ id: RedisLink.ID) {
        guard let request = requests[id] else { return }
        switch request.body {
        case .ready(let bytes): connection?.write(bytes)
        case .made(let make):
            do throws(RedisFailure) { connection?.write(try make()) } catch {
                finish(id, .failure(error))
                // The place in the line is taken, so something has to be sent.
                connection?.write(Self.ping)
            }
        }
    }

    private func finish(_ id: RedisLink.ID, _ result: Result<[RedisValue], RedisFailure>) {
        let request = requests.removeValue(forKey: id)
        tally.add(result, changesData: request?.changesData ?? false)
        if let request { deliveries.append(request.read(result)) }
    }

    /// Sends what was written, and delivers what has come, each in one go.
    private func finishTurn() {
        connection?.flush()
        if !tally.isEmpty {
            condition.note(tally, at: now)
            tally = RedisCondition.Tally()
        }
        guard !deliveries.isEmpty else { return }
        let ready = deliveries
        deliveries = []
        EngineLoop.shared.submit { for deliver in ready { deliver() } }
    }

    // MARK: The connection

    private func disconnect() {
        attempt += 1
        connection?.close()
        connection = nil
        if isConnecting { rotation.gaveUp() }
        isConnecting = false
    }

    private func open(_ address: RedisAddress) {
        attempt += 1
        let attempt = attempt
        condition.use(address.description)
        let greeting = RedisGreeting(address, asksRole: rotation.mayMove)
        let new = RedisConnection(self, greeting, settings.limits)
        connection = new
        let bound = NIOLoopBound((self, new), eventLoop: eventLoop)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(.nanoseconds(Int64(settings.rules.connectTimeout * 1e9)))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let (driver, new) = bound.value
                    if address.isSecure {
                        let handler = try driver.security.handler(for: address)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(new)
                }
            }
        let future =
            switch address.place {
            case .network(let host, let port): bootstrap.connect(host: host, port: port)
            case .socket(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        future.whenComplete { result in
            let (driver, new) = bound.value
            switch result {
            case .success(let channel):
                // The attempt may have been given up meanwhile.
                if new.driver == nil { channel.close(promise: nil) }
            case .failure(let error): driver.refuse(attempt, Self.reason(of: error))
            }
        }
        rearm()
    }

    private func refuse(_ attempt: Int, _ reason: String) {
        guard attempt == self.attempt else { return }
        connection?.driver = nil
        lost(RedisFailure(.unreachable, reason))
    }

    private static func reason(of error: any Error) -> String {
        let first = (error as? NIOConnectionError)?.connectionErrors.first?.error
        if let failure = (first ?? error) as? RedisFailure { return failure.message }
        if let first { return "connecting failed: \(first)" }
        guard let error = error as? NIOConnectionError else { return "connecting failed: \(error)" }
        let lookup = error.dnsAError ?? error.dnsAAAAError
        return "the host has no address" + (lookup.map { ": \($0)" } ?? "")
    }

    // MARK: Time

    private func rearm() {
        if let next = link.nextTick { arm(next) }
    }

    /// Has the link look at the time at `end`, or before.
    private func arm(_ end: Double) {
        guard end < timerEnd else { return }
        timer?.cancel()
        timerEnd = end
        let wait = max(0, end - now) + 0.000_5
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        timer = eventLoop.scheduleTask(in: .nanoseconds(Int64(wait * 1e9))) { bound.value.tick() }
    }

    private func tick() {
        timerEnd = .infinity
        perform(link.tick(at: now, random: random))
        finishTurn()
        rearm()
    }
}
