public import RestEngine

/// An engine with a clock that is moved by hand, a transport of stubs, and one service.
///
/// In a suite with the trait `.leakChecked` none of its objects may outlive its test: settle or cancel
/// requests in flight.
@EngineActor
public final class EngineFixture {
    package let clock = ManualClock()
    public let scheduler: Scheduler
    package let transport: StubTransport
    public let engine: Engine
    public let service: Service
    /// The engine's log. Only warnings, unless `engine.log.enabled` says more.
    public private(set) var log: [(category: EngineLog.Category, text: String)] = []

    public init(
        baseURL: String? = "https://api.test/v1/",
        standardTransformers: [StandardTransformer] = StandardTransformer.allCases
    ) {
        scheduler = Scheduler(clock: clock)
        transport = StubTransport(scheduler: scheduler)
        engine = Engine(transport: transport, scheduler: scheduler)
        engine.movesLargeContent = false
        service = Service(
            engine: engine, name: "api", baseURL: baseURL.flatMap { try? BaseURL($0) },
            standardTransformers: standardTransformers)
        engine.log.handler = { [weak self] in self?.log.append(($0, $1)) }
        watch(service)
        watch(engine)
        watch(transport)
        watch(scheduler)
    }

    /// Checks at the end of the test that the object is gone.
    @discardableResult
    public func watch<Object: AnyObject>(_ object: Object) -> Object {
        LeakList.current?.watch(object)
        return object
    }

    public func resource(_ path: String) -> Resource { watch(service.resource(path)) }

    /// Stubs a path of the service, which may be a glob.
    @discardableResult
    package func stub(
        _ method: Method, _ path: String, when condition: StubCondition = StubCondition(),
        isHeld: Bool = false,
        _ reply: StubReply
    ) throws(PatternError) -> StubTransport.Stub {
        try transport.stub(
            method: method, urlGlob: path, base: service.baseURL, when: condition, isHeld: isHeld, reply)
    }

    /// Adds a configuration block for a glob, or for all resources without one.
    package func configure(
        _ glob: String? = nil, methods: Set<Method>? = nil,
        _ apply: @escaping @EngineActor (ConfigurationDraft) throws -> Void
    ) throws(PatternError) {
        let pattern: URLPattern = if let glob { try .glob(glob, base: service.baseURL) } else { .all }
        service.configure(
            ConfigurationEntry(
                pattern: pattern, methods: methods, description: "block of the test", apply: apply))
    }

    // MARK: Time

    /// Runs ticks until no work is due. Only an endless loop takes a thousand ticks.
    @discardableResult
    public func settle() -> Int {
        for turn in 0..<1000 where !scheduler.runTick() { return turn }
        preconditionFailure("the engine does not come to rest")
    }

    public func runTick() { scheduler.runTick() }

    public func advance(_ seconds: Double) {
        clock.advance(by: seconds)
        settle()
    }
}
