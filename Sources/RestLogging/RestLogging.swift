public import Logging
public import RestEngine

extension Engine {
    /// Sends the log and the events of this engine to a logger:
    ///
    ///     engine.writeLog(to: Logger(label: "api"))
    ///
    /// | level | entries |
    /// |---|---|
    /// | `warning` | the engine's warnings, which then don't go to standard error |
    /// | `debug` | requests that have ended; limits, breakers, reloads |
    /// | `trace` | requests that begin, each message, caches, changes of resources; `details` |
    ///
    /// Callers get the error of a request, so its entry has the level `failures`. An entry has the members of
    /// ``EngineEvent/tree`` as metadata, with secrets masked. The engine makes no events for levels below
    /// that of the logger, which is read now: call this again after it has changed.
    ///
    /// An engine has one logger: a second call replaces the first.
    ///
    /// - Parameters:
    ///   - failures: The level of requests that failed. Cancelled ones are `debug`.
    ///   - details: Categories of the engine's log to write as text, if the logger records `trace`.
    /// - Returns: The registration, to cancel it. It lasts as long as the engine if you ignore it.
    @discardableResult
    public func writeLog(
        to logger: Logger, failures: Logger.Level = .debug, details: Set<EngineLog.Category> = []
    ) -> EngineLogging {
        let key = ObjectIdentifier(EngineLogging.self)
        (installed[key] as? EngineLogging)?.cancel()
        let made = EngineLogging(self, logger, failures, details)
        installed[key] = made
        return made
    }
}

/// The way of an engine's log into a logger, until it is cancelled.
@EngineActor
public final class EngineLogging {
    private weak var engine: Engine?
    private let subscription: EventSubscription?
    private let handler: @EngineActor (EngineLog.Category, String) -> Void
    /// The categories that this registration has turned on.
    private let added: Set<EngineLog.Category>

    fileprivate init(
        _ engine: Engine, _ logger: Logger, _ failures: Logger.Level, _ details: Set<EngineLog.Category>
    ) {
        self.engine = engine
        let log = engine.log
        handler = log.handler
        added = logger.logLevel <= .trace ? details.subtracting(log.enabled) : []
        log.enabled.formUnion(added)
        log.handler = { category, text in
            logger.log(
                level: category == .warning ? .warning : .trace, "\(text)",
                metadata: ["category": "\(category.rawValue)"])
        }
        let kinds = EngineEvent.Kind.allCases.filter { logger.logLevel <= $0.level(failures) }
        subscription =
            kinds.isEmpty
            ? nil
            : engine.onEvent(Set(kinds)) { event in
                logger.log(
                    level: event.level(failures), "\(event.sentence)", metadata: event.metadata)
            }
    }

    /// Ends the registration. The log goes where it went before, which is standard error by default.
    public func cancel() {
        guard let engine else { return }
        self.engine = nil
        subscription?.cancel()
        engine.log.handler = handler
        engine.log.enabled.subtract(added)
        let key = ObjectIdentifier(Self.self)
        if engine.installed[key] === self { engine.installed[key] = nil }
    }
}
