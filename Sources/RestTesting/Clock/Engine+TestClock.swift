public import RestEngine

extension Engine {
    /// An engine whose time is that of a test's clock. Waits between attempts take the longest time that
    /// their policy allows, so that a test can predict them.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - clock: Several engines may share one.
    ///   - log: Gets warnings, and what else is enabled.
    public convenience init(transport: any Transport, clock: TestClock, log: EngineLog = EngineLog()) {
        self.init(transport: transport, scheduler: clock.scheduler, log: log)
        random = { 1 }
        clock.add(self)
    }
}
