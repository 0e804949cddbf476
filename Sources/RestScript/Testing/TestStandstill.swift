import RestEngine

/// Describes why a test can't go on.
@EngineActor
struct TestStandstill {
    private let file: ScriptTestFile

    init(_ file: ScriptTestFile) { self.file = file }

    /// The message for a test that waits while no host has work that is due.
    func diagnostic(at place: (file: String, line: Int)?) -> Diagnostic {
        var text = "the test waits for something that can't happen: no host has anything to do now"
        let hosts = file.hosts.filter { $0 !== file.home || $0.scheduler.hasWork }
        for (number, host) in hosts.enumerated() {
            text += "\n  \(host.name.isEmpty ? "host \(number + 1)" : host.name): \(state(of: host))"
            for stub in host.transport.stubs where stub.heldRequests > 0 {
                text +=
                    "\n    stub \(stub.summary) holds \(count(stub.heldRequests, "request")): stub:go() lets go"
            }
        }
        return Diagnostic(.error, text, file: place?.file, line: place?.line)
    }

    private func state(of host: TestHost) -> String {
        let now = "its clock stands at \(number(host.clock.now))"
        guard let next = host.scheduler.nextDeadline else { return now + ", no timer is armed" }
        let seconds = number(next - host.clock.uptime)
        return now
            + ", \(count(host.scheduler.armedTimers, "timer")), the next due in \(seconds) s: host:advance(\(seconds)) gets there"
    }

    /// The message for hosts that run tick after tick without an end.
    func restlessness(_ ticks: Int) -> Diagnostic {
        let busy = file.hosts.first { $0.scheduler.timeUntilWork == 0 }
        let name = busy.map { $0.name.isEmpty ? "a host" : $0.name } ?? "a host"
        return Diagnostic(
            .error, "\(name) does not come to rest in \(ticks) ticks", file: file.run?.place?.file,
            line: file.run?.place?.line,
            hint: "something begins anew for ever: a hook that loads again, or a timer without a pause")
    }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Whole numbers have no fraction.
    private func number(_ value: Double) -> String {
        guard let whole = Int(exactly: value) else { return "\(value)" }
        return "\(whole)"
    }
}

/// Waits for work of other threads for an engine: the queue of a cache, a pool of transformers.
@EngineActor
enum OffloadedWait {
    /// Such work takes less time unless it hangs.
    private static let timeout = 30.0

    static let complaint = "the test waits for work outside of the loop, a cache perhaps, that doesn't end"

    /// Returns when one of the engines has no such work left; false after the timeout.
    static func finish(of engines: [Engine]) async -> Bool {
        let busy = engines.filter { $0.offloadedWork > 0 }
        // The timeout is on the machine's clock, not the test's.
        let scheduler = Scheduler()
        defer {
            for engine in busy { engine.onOffloadedWorkDone = nil }
            scheduler.clear()
        }
        return await withCheckedContinuation { continuation in
            var waiting: CheckedContinuation<Bool, Never>? = continuation
            func end(_ isDone: Bool) {
                waiting?.resume(returning: isDone)
                waiting = nil
            }
            for engine in busy { engine.onOffloadedWorkDone = { end(true) } }
            scheduler.after(timeout) { end(false) }
        }
    }
}
