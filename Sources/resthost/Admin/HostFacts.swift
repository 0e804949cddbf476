import CurlTransport
import Gateway
import Platform
import RestEngine
import RestScript

/// The status of a running host.
struct HostFacts: Sendable {
    struct Service: Sendable {
        var name: String
        var baseURL: String?
        var resources: Int
        /// The bytes of its resources' content.
        var content = 0
        var contentLimit = 0
        /// The number of resources that were dropped to make room, by reason.
        var evictions: [(reason: String, count: Int)] = []
    }

    /// The last reload, if it failed and changed nothing.
    struct Failure: Sendable {
        var report: FailureReport
        var trigger: ReloadTrigger
        /// The seconds since it failed.
        var age: Double
    }

    var process: Int32
    /// The seconds since the start.
    var uptime: Double
    var script: String
    /// The current folder, which relative paths refer to.
    var folder: String
    var generation = 1
    var trigger = ReloadTrigger.start
    /// The seconds since the generation was loaded.
    var generationAge: Double
    /// The number of earlier generations that have not finished.
    var retiring = 0
    var failure: Failure?
    var services: [Service] = []
    /// The limits in use, and the breakers that are not closed.
    var attempts = AttemptFacts()
    var isOffline = false
    var openRequests = 0
    var jobs = 0
    var failedJobs = 0
    /// The CPU time of this process, and the memory that the system counts for it; nil if it doesn't say.
    var processSeconds: Double?
    var residentMemory: Int?
    /// The bytes of the script's Lua states, those of earlier generations included.
    var luaMemory = 0
    /// The CPU time of the script's own functions, in all generations.
    var luaSeconds = 0.0
    /// The same for transformer modules.
    var moduleMemory = 0
    var moduleSeconds = 0.0
    /// The bytes of resources, and of bodies that are being received for them.
    var contentMemory = 0
    var bodyMemory = 0
    /// The limit of both together.
    var contentLimit = 0
    /// The memory that this process may use.
    var machine: MachineMemory?
    /// The most threads for transformer modules, and the number of the gateway's network threads.
    var transformerThreads = 0
    var gatewayThreads = 0
    /// The process of the supervisor; nil in a host of one process.
    var supervisor: Int32?
    /// The threads for transfers, beside the engine's.
    var transferThreads = 0
    /// The processors that this process may use.
    var processors: MachineProcessors?
    /// The number of contents that were dropped to make room.
    var droppedContents = 0
    /// The addresses of the gateway.
    var listening: [String] = []
    /// The addresses that use TLS.
    var secured: Set<String> = []
    var connections = 0
    /// The same of operators.
    var operatorAddresses: [String] = []
    var operatorConnections = 0
    /// See ``Gateway/certificateEnds``.
    var certificateEnds: [String: Double] = [:]
    /// A renewed certificate can't be used.
    var hasBadCertificate = false
    var admin: String?
    /// The metrics of shared memories.
    var shared: [MetricFamily] = []
    /// Warnings for the operator.
    var warnings: [String] = []

    /// The status as a tree. Times are in seconds, memory is in bytes.
    var tree: Tree {
        var pairs: [(String, Tree)] = [
            ("version", Tree(Version.text)), ("pid", Tree(process)), ("uptime", Tree(rounded(uptime))),
            ("script", Tree(script)), ("folder", Tree(folder)),
            (
                "generation",
                [
                    "number": Tree(generation), "trigger": Tree("\(trigger)"),
                    "age": Tree(rounded(generationAge)), "retiring": Tree(retiring),
                ]
            ),
        ]
        if let failure {
            let members =
                [
                    ("message", Tree(failure.report.diagnostic.message)),
                    ("trigger", Tree("\(failure.trigger)")), ("age", Tree(rounded(failure.age))),
                ] + failure.report.members.map { ($0.name, $0.value) }
            pairs.append(("last_failure", Tree(pairs: members)))
        }
        pairs += [
            ("services", Tree(services.map(tree))), ("requests", Tree(openRequests)), ("jobs", Tree(jobs)),
            ("failed_jobs", Tree(failedJobs)), ("memory", memory),
            (
                "gateway",
                [
                    "listening": Tree(listening.map { Tree($0) }),
                    "tls": Tree(listening.filter(secured.contains).map { Tree($0) }),
                    "connections": Tree(connections),
                ]
            ),
            ("threads", threads),
        ]
        if !operatorAddresses.isEmpty {
            pairs.append(
                (
                    "operators",
                    [
                        "listening": Tree(operatorAddresses.map { Tree($0) }),
                        "tls": Tree(operatorAddresses.filter(secured.contains).map { Tree($0) }),
                        "connections": Tree(operatorConnections),
                    ]
                ))
        }
        pairs.append(("cpu", cpu))
        if let admin { pairs.append(("admin", Tree(admin))) }
        pairs.append(("limits", Tree(attempts.limits.map(tree))))
        pairs.append(("breakers", Tree(attempts.breakers.map(tree))))
        if isOffline { pairs.append(("offline", true)) }
        if let supervisor { pairs.append(("supervisor", Tree(Int(supervisor)))) }
        pairs.append(("warnings", Tree(warnings.map { Tree($0) })))
        return Tree(pairs: pairs)
    }

    private var memory: Tree {
        var pairs: [(String, Tree)] = [
            ("lua", Tree(luaMemory)), ("modules", Tree(moduleMemory)), ("content", Tree(contentMemory)),
            ("bodies", Tree(bodyMemory)),
            ("content_limit", Tree(contentLimit)), ("dropped", Tree(droppedContents)),
        ]
        if let residentMemory { pairs.append(("resident", Tree(residentMemory))) }
        if let machine {
            pairs.append(("available", Tree(machine.bytes)))
            pairs.append(("available_from", Tree(machine.source.rawValue)))
        }
        return Tree(pairs: pairs)
    }

    /// In seconds since the start.
    private var cpu: Tree {
        var pairs = [("lua", Tree(rounded(luaSeconds))), ("modules", Tree(rounded(moduleSeconds)))]
        if let processSeconds { pairs.insert(("process", Tree(rounded(processSeconds))), at: 0) }
        return Tree(pairs: pairs)
    }

    private var threads: Tree {
        var pairs: [(String, Tree)] = [
            ("gateway", Tree(gatewayThreads)), ("transformers", Tree(transformerThreads)),
            ("transfers", Tree(transferThreads)),
        ]
        if let processors {
            pairs.append(("processors", Tree(processors.count)))
            pairs.append(("processors_from", Tree(processors.limit.rawValue)))
        }
        return Tree(pairs: pairs)
    }

    private func tree(_ service: Service) -> Tree {
        [
            "name": Tree(service.name), "base_url": service.baseURL.map { Tree($0) } ?? .null,
            "resources": Tree(service.resources), "content": Tree(service.content),
            "content_limit": Tree(service.contentLimit),
            "evicted": Tree(pairs: service.evictions.map { ($0.reason, Tree($0.count)) }),
        ]
    }

    private func tree(_ limit: AttemptFacts.Limit) -> Tree {
        [
            "name": Tree(SecretMask.standard.url(limit.name)), "in_flight": Tree(limit.inFlight),
            "most_in_flight": limit.mostInFlight.map { Tree($0) } ?? .null, "waiting": Tree(limit.waiting),
            "rate": limit.rate.map { Tree($0) } ?? .null, "paused": Tree(rounded(limit.pausedSeconds)),
        ]
    }

    private func tree(_ breaker: AttemptFacts.Breaker) -> Tree {
        [
            "origin": Tree(breaker.origin), "state": breaker.openSeconds > 0 ? "open" : "half_open",
            "open": Tree(rounded(breaker.openSeconds)), "probed": Tree(breaker.isProbed),
        ]
    }

    private func rounded(_ seconds: Double) -> Double {
        (max(0, min(seconds, 1e12)) * 1000).rounded() / 1000
    }
}

extension HostFacts {
    /// Adds the facts of the running script and of those before it.
    @EngineActor
    mutating func add(_ generations: Generations) {
        let host = generations.current
        let now = generations.engine.scheduler.uptime
        generation = generations.number
        trigger = generations.trigger
        generationAge = now - generations.loadedAt
        retiring = generations.retiredCount
        failure = generations.lastFailure.map {
            Failure(report: $0.report, trigger: $0.trigger, age: now - $0.at)
        }
        services = host.allServices.map { service in
            // User info and query are left out, because they may contain keys.
            let base = service.baseURL.map { ($0.url.origin ?? "") + $0.url.path }
            return Service(
                name: service.name, baseURL: base, resources: service.liveResourceCount,
                content: service.heldBytes, contentLimit: service.contentLimit,
                evictions: service.evictions)
        }
        attempts = generations.engine.attemptFacts
        isOffline = generations.engine.isOffline
        openRequests = host.openRequests
        jobs = host.jobCount
        failedJobs = generations.failedJobs
        processSeconds = ProcessMetrics.cpuSeconds
        residentMemory = ProcessMemory.residentBytes
        luaMemory = generations.memoryUsed
        luaSeconds = generations.luaSeconds
        (moduleMemory, moduleSeconds) = generations.moduleUsage
        let budget = generations.contentBudget
        contentMemory = budget.heldBytes
        bodyMemory = budget.bodyBytes
        contentLimit = budget.limit
        machine = MachineMemory.current
        transformerThreads = host.transformerThreads
        transferThreads = CurlTransport.threads
        processors = MachineProcessors.current
        droppedContents = budget.droppedContents
        if let stall = host.stalledModules { warnings.append(stall) }
        shared = SharedServers.shared.families(of: generations.engine)
        if let failure = SharedServers.shared.failure(of: generations.engine) { warnings.append(failure) }
    }

    @EngineActor
    mutating func add(_ listeners: RunListeners) {
        let gateway = listeners.clients
        listening = gateway.listening
        secured = listeners.secured
        connections = gateway.connections
        gatewayThreads = gateway.networkThreads
        warnings += gateway.shortages.map { "the gateway: \($0)" }
        operatorAddresses = listeners.operators.listening
        operatorConnections = listeners.operators.connections
        certificateEnds = listeners.certificateEnds
        hasBadCertificate = listeners.condition.certificateFailure != nil
        admin = listeners.adminPath
    }
}
