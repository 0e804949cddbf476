/// What the services of one host share: time, transport, log.
@EngineActor
public final class Engine {
    public let scheduler: Scheduler
    public let transport: any Transport
    public let log: EngineLog

    public init(transport: any Transport, scheduler: Scheduler = Scheduler(), log: EngineLog = EngineLog()) {
        self.transport = transport
        self.scheduler = scheduler
        self.log = log
    }
}
