import LuaRuntime
import RestEngine

/// What a service was before the script that is being loaded declared it anew.
struct TakenService {
    let service: Service
    let before: Service.Definition
    let resourceCountLimit: Int
    let resourceBytesLimit: Int?
}

/// How a script takes the place of another, or fails to (design, A reload).
extension ScriptContext {
    /// The service of the script before that has this name and base, if there is one: its resources stay.
    func takeOver(
        _ name: String, _ base: BaseURL?, _ standard: [StandardTransformer], _ settings: TransportOptions?
    ) -> Service? {
        guard let predecessor, let known = predecessor.services.first(where: { $0.name == name }),
            known.baseURL == base
        else { return nil }
        // The same settings: the same connections.
        let keeps = predecessor.transportSettings[name] == settings
        let before = known.redefine(
            standardTransformers: standard, transport: keeps ? nil : transport(for: settings))
        taken.append(
            TakenService(
                service: known, before: before, resourceCountLimit: known.cachedResourceCountLimit,
                resourceBytesLimit: known.cachedResourceBytesLimit))
        return known
    }

    /// Everything is as it was before this script began to load.
    func rollBack() {
        for taken in taken.reversed() {
            taken.service.restore(taken.before)
            if limitedServices.contains(taken.service.name) {
                taken.service.cachedResourceCountLimit = taken.resourceCountLimit
            }
            if byteLimitedServices.contains(taken.service.name) {
                taken.service.cachedResourceBytesLimit = taken.resourceBytesLimit
            }
        }
        stopObserving(services)
        let others = taken.map(\.service)
        services.removeAll { service in others.contains { $0 === service } }
        taken = []
        predecessor = nil
    }

    /// This script is the one that runs from now on. Its jobs begin when the other has heard of it.
    func replacePredecessor() {
        for taken in taken {
            if !limitedServices.contains(taken.service.name) {
                taken.service.cachedResourceCountLimit = Service.standardResourceCountLimit
            }
            if !byteLimitedServices.contains(taken.service.name) {
                taken.service.cachedResourceBytesLimit = nil
            }
            taken.service.definitionIsComplete()
        }
        predecessor?.retire(handingOver: taken.map(\.service))
        taken = []
        predecessor = nil
        begin()
    }

    /// False for a script that was replaced: what it said now of a service would stay there without it, for the script
    /// that took over has declared the service anew. One warning for all of it.
    func hasSay(_ call: Arguments, _ method: String) -> Bool {
        guard isRetired || isClosed else { return true }
        if !wasToldOfItsEnd {
            wasToldOfItsEnd = true
            options.log(
                ScriptLogEntry(
                    level: .warn,
                    text:
                        "'\(method)' has no effect: a reload has put another version in this script's place, whose "
                        + "declarations count",
                    place: place(of: call)))
        }
        return false
    }

    /// Another script has taken over: no more observers, jobs or timers. What waits in a hook, and requests that have
    /// started, finish as they would have.
    private func retire(handingOver taken: [Service]) {
        isRetired = true
        stopObserving(services)
        services.removeAll { service in taken.contains { $0 === service } }
        for function in reloadFunctions { run(function, as: "a function of rest.on_reload") { _ in 0 } }
        reloadFunctions = []
        jobs.cancelDetached()
        retirement = ScriptRetirement(self, engine.era)
        engine.era = RequestEra()
    }
}

/// The time between the end of a script's rule and its end.
@EngineActor
final class ScriptRetirement {
    /// Seconds; more than a request takes with the standard limits.
    static let limit = 180.0
    private unowned let context: ScriptContext
    private let era: RequestEra
    private var timer: Timer?
    /// Called when the script can be closed.
    var onEnd: (@EngineActor () -> Void)?

    init(_ context: ScriptContext, _ era: RequestEra) {
        self.context = context
        self.era = era
        context.jobs.onEmpty = { [weak self] in self?.lookAgain() }
        era.onQuiet = { [weak self] in self?.lookAgain() }
        timer = context.engine.scheduler.after(Self.limit) { [weak self] in self?.end() }
        lookAgain()
    }

    var isOver: Bool { context.jobs.isEmpty && era.openRequests == 0 }

    /// Two turns later: what just ended may have begun something, and its frames are still there.
    private func lookAgain() {
        let scheduler = context.engine.scheduler
        scheduler.nextTurn { [weak self] in
            scheduler.nextTurn { [weak self] in if let self, isOver { end() } }
        }
    }

    private func end() {
        guard timer != nil else { return }
        timer?.cancel()
        timer = nil
        era.onQuiet = nil
        if !isOver {
            context.options.log(
                ScriptLogEntry(
                    level: .warn,
                    text:
                        "the script that a reload replaced still waits after \(Int(Self.limit)) s: it is ended"
                ))
        }
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?()
    }
}
