import Gateway
import Platform
import RestEngine
import RestScript

/// A run as one of several workers.
extension RunSession {
    /// One process writes what concerns all.
    var speaks: Bool { link.map { $0.worker.isFirst && !$0.start.isSuccessor } ?? true }

    /// Reports that this worker serves, and from now on does what the supervisor says.
    func obey(_ link: WorkerLink) {
        link.report(.ready(link.start.sources == nil ? SourceSnapshot.current?.files ?? [:] : [:]))
        link.follow(
            { RunSession.current?.perform($0) },
            onEnd: {
                guard let session = RunSession.current, !session.isFinishing else { return }
                session.log.note("the supervisor has ended")
                session.finish(1)
            })
        if link.start.beat > 0 { beat(link) }
    }

    private func beat(_ link: WorkerLink) {
        generations?.engine.scheduler.after(link.start.beat) { [weak self] in
            link.report(.alive)
            self?.beat(link)
        }
    }

    private func perform(_ order: WorkerOrder) {
        guard let link, let generations, !isFinishing else { return }
        switch order {
        case .begin: break
        case .tryLoad(let round, let files):
            loadBegan = FileView.now
            let used = SourceSnapshot.current
            let snapshot = SourceSnapshot(files ?? [:])
            SourceSnapshot.current = snapshot
            let failure = generations.tryLoad()
            SourceSnapshot.current = used
            link.report(
                .tried(
                    round: round, failure: failure.map { Self.tree(FailureReport($0)) },
                    files == nil ? snapshot.files : [:]))
        case .reload(let round, let trigger, let files):
            SourceSnapshot.current = SourceSnapshot(files)
            let result = generations.reload(trigger, wholeScript: true)
            var failure: Tree?
            if case .failure(let diagnostic) = result { failure = Self.tree(FailureReport(diagnostic)) }
            link.report(.reloaded(round: round, failure: failure))
        case .abandon(let failure, let trigger):
            link.forgetWantedSockets()
            generations.note(
                FailureReport(failure, message: failure["message"]?.string ?? "it failed"), trigger)
        case .answered(let id, let generation, let seconds, let failure):
            link.note(id, generation: generation, seconds: seconds, failure: failure)
        }
    }

    /// A report with its message, as ``FailureReport/init(_:message:)`` reads it.
    private static func tree(_ report: FailureReport) -> Tree {
        Tree(
            pairs: [("message", Tree(report.diagnostic.message))]
                + report.members.map { ($0.name, $0.value) })
    }
}

extension GatewayLimits {
    /// The limits of one worker. A limit that is smaller than the number of workers leaves 0 for some, which
    /// refuse all.
    mutating func divide(among worker: WorkerNumber) {
        maxConnections = max(1, worker.part(of: maxConnections))
        requestsPerClient = requestsPerClient.map(worker.part)
        streamsPerClient = streamsPerClient.map(worker.part)
        if let rate = perClient {
            perClient = GatewayRate(
                requests: rate.requests, per: rate.per * Double(worker.count),
                burst: rate.burst / Double(worker.count))
        }
    }
}

extension ScriptOptions {
    /// Tells the script which worker it runs in.
    mutating func divide(among worker: WorkerNumber) {
        self.worker = worker
        contentMemoryLimit = (contentMemoryLimit ?? ContentBudget.standardLimit) / worker.count
    }
}
