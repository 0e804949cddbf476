import Gateway
import Platform
import RestEngine
import RestScript

/// The end of a run.
extension RunSession {
    /// A signal ends the host. For the time of `--drain-delay` it goes on as before but for `/-/ready`, so
    /// that clients go elsewhere (75.1).
    func leave() {
        let delay = RunEnd.times.delay
        guard delay > 0, !isFinishing, let generations, let listeners else { return finish(0) }
        isFinishing = true
        listeners.condition.isLeaving = true
        ServiceManager.notify("STOPPING=1\nSTATUS=not ready any more, still serving")
        log.note("not ready any more; the host serves for \(RunEnd.text(delay)) s more")
        generations.engine.scheduler.after(delay) { self.end(0) }
    }

    /// Waits for the work in flight, then ends the process.
    func finish(_ code: Int32) {
        guard !isFinishing else { return }
        isFinishing = true
        ServiceManager.notify("STOPPING=1")
        end(code)
    }

    private func end(_ code: Int32) {
        let deadline = ClockReading.timeSinceBoot + RunEnd.times.drain
        func left() -> Double { deadline - ClockReading.timeSinceBoot }
        listeners?.condition.isLeaving = true
        RunEnd.note(connections: listeners?.clients.connections ?? 0)
        Task {
            let cut = await listeners?.stopClients(drain: RunEnd.times.drain) ?? GatewayCut()
            SQLiteFiles.shared.keepCaches()
            while left() > 0, generations.map({ $0.busyJobs > 0 }) ?? false { await pause(0.02) }
            // Requests in flight may have used up the time. `on_shutdown` still gets a minimum.
            let jobs = await generations?.shutDown(within: max(0.5, left())) ?? 0
            if let text = Self.account(cut, jobs: jobs) { log.note("the end cut off \(text)") }
            await listeners?.stopOthers()
            await own?.stop(drain: 0)
            RunEnd.enter(.writing)
            let isKept = await generations?.current.offloadedWorkIsDone() ?? true
            await traffic?.deliverTraces()
            let isRecorded = traffic?.finish() ?? true
            accessLog?.finish()
            Streams.exit(isKept && isRecorded ? code : max(code, 1))
        }
    }

    private func pause(_ seconds: Double) async {
        guard let scheduler = generations?.engine.scheduler else { return }
        await withCheckedContinuation { continuation in
            scheduler.after(seconds) { continuation.resume() }
        }
    }

    /// Nil if nothing was cut off.
    nonisolated static func account(_ cut: GatewayCut, jobs: Int) -> String? {
        let parts = [(cut.requests, "request"), (cut.streams, "stream"), (jobs, "job")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        return parts.isEmpty ? nil : parts.formattedList
    }
}

extension [String] {
    /// `a`, `a and b`, `a, b and c`.
    fileprivate var formattedList: String {
        guard count > 1, let last else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}
