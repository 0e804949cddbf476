import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// A gateway before an engine whose network is a stub and whose clock stands still.
final class World: GatewayDirectory {
    let clock = TestClock()
    let transport = ManualTransport()
    let engine: Engine
    @EngineActor private var services: [String: Service] = [:]
    @EngineActor private(set) var health = GatewayHealth()
    @EngineActor private var reads = 0
    @EngineActor private var awaitedReads: (count: Int, arrived: @Sendable (Bool) -> Void)?

    /// Runs `body` with a gateway that listens on its own port, and stops it.
    static func run(
        _ configure: (inout GatewayConfiguration) -> Void = { _ in },
        control: (any HostControl)? = nil,
        automatic: (@EngineActor @Sendable (TransportRequest) -> TransportResult)? = nil,
        _ body: (World, Site) async throws -> Void
    ) async throws {
        let world = await World()
        await world.use(automatic)
        var configuration = GatewayConfiguration()
        configuration.listen = ["127.0.0.1:0"]
        configuration.threads = 2
        // All tests of the process share the engine loop, so it may be slow.
        configuration.healthTimeout = 10
        configuration.clock = { world.clock.now }
        configuration.uptime = { world.clock.uptime }
        configure(&configuration)
        let gateway = try Gateway(configuration, directory: world, control: control)
        let site = Site(gateway: gateway, addresses: try gateway.start())
        do { try await body(world, site) } catch {
            await gateway.stop(drain: 0)
            await world.letGo()
            throw error
        }
        await gateway.stop(drain: 0)
        await world.letGo()
    }

    /// A world that only provides its services.
    static func empty() async -> World { await World() }

    @EngineActor
    static func answerSnapshot() -> AnswerSnapshot {
        let world = World()
        defer { world.letGo() }
        // A new world has one service.
        return world.services.values.first!.resource("").answerSnapshotForReaders()
    }

    @EngineActor
    private init() {
        engine = Engine(transport: transport, scheduler: Scheduler(clock: TestEngineClock(clock)))
        engine.movesLargeContent = false
        add("github", "https://api.github.com/v3")
    }

    @EngineActor
    private func use(_ automatic: (@EngineActor @Sendable (TransportRequest) -> TransportResult)?) {
        guard let automatic else { return }
        transport.automatic = { request in
            // Only this runs the ticks of an engine with its own clock.
            EngineLoop.shared.submit { EngineLoop.shared.submit { self.settle() } }
            return automatic(request)
        }
    }

    @EngineActor
    func add(_ name: String, _ base: String?) {
        services[name] = Service(engine: engine, name: name, baseURL: base.flatMap { try? BaseURL($0) })
    }

    /// A service and its resources hold each other until a flush, and the transport holds this world.
    @EngineActor
    private func letGo() {
        transport.end()
        settle()
        engine.scheduler.clear()
        for name in services.keys { remove(name) }
    }

    @EngineActor
    func settle() {
        while engine.scheduler.runTick() {}
    }

    @EngineActor
    func reply(_ body: String, status: Int = 200, type: String = "application/json") {
        transport.reply(body, status: status, type: type)
        settle()
    }

    /// Answers the oldest waiting request with this method.
    @EngineActor
    func reply(_ body: String, to method: String) {
        transport.reply(body, to: method)
        settle()
    }

    /// The newest streamed answer goes on.
    @EngineActor
    func stream(_ text: String, beginning: Bool = false) {
        if beginning { transport.streamed.streams.last?.open() }
        transport.streamed.streams.last?.send(text)
        settle()
    }

    @EngineActor
    func fail(_ error: TransportError) {
        transport.finish(.failure(error))
        settle()
    }

    @EngineActor
    func override(_ path: String, content: Content) {
        services["github"]?.resource(path).overrideLocalContent(content)
    }

    @EngineActor
    func configure(
        _ glob: String, _ edit: @escaping @EngineActor @Sendable (inout Configuration) throws -> Void
    ) throws {
        try services["github"]?.configure(.glob(glob), edit)
    }

    /// Adds a block that has a place in a script and changes nothing.
    @EngineActor
    func configureAsScript(_ glob: String) throws {
        guard let service = services["github"] else { return }
        service.configure(
            ConfigurationEntry(
                pattern: try .glob(glob, base: service.baseURL), description: glob, origin: "main.lua:1",
                apply: { _ in }))
    }

    @EngineActor
    func isFresh(_ path: String) -> Bool { services["github"]?.resource(path).isUpToDate ?? false }

    @EngineActor
    func isObserved(_ path: String) -> Bool { services["github"]?.resource(path).isObserved ?? false }

    /// Returns when the resource has no observers any more.
    @EngineActor
    func waitUntilUnobserved(_ path: String) async {
        await yielding(until: "nobody observes \(path)") { !isObserved(path) }
    }

    @EngineActor
    func load(_ path: String) { services["github"]?.resource(path).load() }

    /// Waits for the load in flight, besides the gateway.
    @EngineActor
    func join(_ path: String) { services["github"]?.resource(path).loadIfNeeded()?.onCompletion { _ in } }

    /// Gives resources content, and returns them to the caller, who holds them.
    @EngineActor
    func fill(_ paths: [String]) -> [Resource] {
        let resources = paths.compactMap { services["github"]?.resource($0) }
        for resource in resources { resource.overrideLocalContent(.json([1])) }
        return resources
    }

    @EngineActor
    static func haveData(_ resources: [Resource]) -> [Bool] { resources.map { $0.latestData != nil } }

    /// Replaces a service by another one of the same name.
    @EngineActor
    func replace(_ name: String, _ base: String?) {
        remove(name)
        add(name, base)
    }

    @EngineActor
    func remove(_ name: String) { services.removeValue(forKey: name)?.flushUnusedResources() }

    /// Returns when this number of reads has reached the engine.
    @EngineActor
    func waitForReads(_ count: Int) async {
        if reads >= count { return }
        let _: Bool? = await waiting(for: "\(count) reads, of which \(reads) came so far") {
            awaitedReads = (count, $0)
        }
    }

    @EngineActor
    func limitResources(to count: Int) { services["github"]?.cachedResourceCountLimit = count }

    @EngineActor
    func limitContent(to bytes: Int) { engine.contentBudget.limit = bytes }

    @EngineActor
    var heldContent: Int { engine.contentBudget.heldBytes }

    @EngineActor
    func setHealth(_ health: GatewayHealth) { self.health = health }

    // MARK: GatewayDirectory

    @EngineActor
    func service(named name: String) -> Service? {
        reads += 1
        if let awaited = awaitedReads, awaited.count <= reads {
            awaitedReads = nil
            // The read itself follows in this same call of the loop.
            EngineLoop.shared.submit { awaited.arrived(true) }
        }
        return services[name]
    }

    @EngineActor
    var serviceNames: [String] { Array(services.keys) }
}

/// The addresses of a started gateway.
struct Site {
    let gateway: Gateway
    let addresses: [String]

    var port: UInt16 { port(of: addresses[0]) }

    func port(of address: String) -> UInt16 { UInt16(address.split(separator: ":").last ?? "") ?? 0 }

    /// Connects to the first address.
    func connect() throws -> Client {
        addresses[0].hasPrefix("unix:")
            ? try Client(path: String(addresses[0].dropFirst(5))) : try Client(port: port)
    }

    /// A connection on which a request for `target` was sent. A test that waits for the engine first sends,
    /// then lets the engine work, then reads. A thread that blocks in a socket can't run tasks.
    func asking(_ target: String) throws -> Client {
        let client = try connect()
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return client
    }

    /// Stops the gateway, with more time for requests under way than a test's timeout.
    func stop(at location: SourceLocation = #_sourceLocation) async {
        let _: Bool? = await waiting(for: "the gateway to stop", at: location) { [gateway] notified in
            Task {
                await gateway.stop(drain: 600)
                notified(true)
            }
        }
    }

    /// Sends one request on its own connection.
    func get(_ target: String, method: String = "GET", fields: [String] = []) throws -> Answer {
        let client = try connect()
        let extra = fields.map { $0 + "\r\n" }.joined()
        try client.send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(extra)\r\n")
        return try client.answer(isHead: method == "HEAD")
    }
}
