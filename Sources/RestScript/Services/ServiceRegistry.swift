import LuaRuntime
import RestEngine

/// The services that a script has declared, with further settings of each.
@EngineActor
final class ServiceRegistry {
    final class Declaration {
        let service: Service
        /// The place of the declaration.
        let place: (file: String, line: Int)?
        /// Nil means the engine's own transport.
        let transport: TransportOptions?
        /// It is for the script's own requests.
        let isInternal: Bool
        /// The limits that the script has set itself; see ``Limit``.
        fileprivate(set) var limits: Set<Limit> = []

        fileprivate init(
            _ service: Service, at place: (file: String, line: Int)?, transport: TransportOptions?,
            isInternal: Bool
        ) {
            (self.service, self.place, self.transport) = (service, place, transport)
            self.isInternal = isInternal
        }
    }

    /// The limits of a service.
    enum Limit { case count, bytes }

    private var declarations: [Declaration] = []
    /// The index of each name, because each declaration checks whether its name is taken.
    private var indices: [String: Int] = [:]
    unowned let context: ScriptContext

    init(_ context: ScriptContext) { self.context = context }

    var all: [Service] { declarations.map(\.service) }

    /// Those that others than the script may ask for.
    var shown: [Service] { declarations.filter { !$0.isInternal }.map(\.service) }

    /// All services, including the one that no declaration made.
    var everyone: [Service] { all + (madeOfRequests.map { [$0] } ?? []) }

    private var madeOfRequests: Service?

    /// The service for requests of `rest.request`. It has all defaults and is not declared.
    var ofRequests: Service {
        if let madeOfRequests { return madeOfRequests }
        let service = Service(
            engine: context.engine, name: "rest.request", baseURL: nil, transport: transport(for: nil))
        service.refusal = { [weak context] url in context?.services.refusalOfRequest(to: url) }
        service.onResourceLimit = { [weak context] in context?.services.collectGarbage() }
        madeOfRequests = service
        return service
    }

    subscript(name: String) -> Declaration? { indices[name].map { declarations[$0] } }

    /// The URLs that requests and proxies may use when only declared hosts are granted.
    var bases: [URLText] { declarations.compactMap { $0.service.baseURL?.url } }

    /// The cause of failure for a request to a URL that the script may not use; nil when it may.
    func refusalOfRequest(to url: URLText) -> RequestError.Cause? {
        context.grants.refusalOfRequest(to: url, declared: bases)
    }

    func add(
        _ service: Service, at place: (file: String, line: Int)?, transport: TransportOptions?,
        isInternal: Bool
    ) {
        service.refusal = { [weak context] url in context?.services.refusalOfRequest(to: url) }
        service.onResourceLimit = { [weak context] in context?.services.collectGarbage() }
        service.limitsMatching { [weak context] url, work in
            guard let context else { return try work() }
            try context.blocks.limit(context, url, work)
        }
        indices[service.name] = declarations.count
        declarations.append(
            Declaration(service, at: place, transport: transport, isInternal: isInternal))
    }

    /// Notes that the script has set a limit of this service itself.
    func note(_ limit: Limit, of service: Service) {
        guard let index = indices[service.name] else { return }
        declarations[index].limits.insert(limit)
    }

    // MARK: Advice

    /// The lines that got advice about a query in a path, up to a limit.
    private var advised: Set<String> = []
    private static let maxAdvised = 100

    /// Warns of a query in a path, once for each line. A path is text, so its '?' becomes `%3F` (rules 3.1,
    /// S3.1), which is rarely intended.
    func adviseOnQuery(in text: String, of method: String, _ call: Arguments) {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
        let query = text[text.index(after: mark)...]
        guard let equals = query.firstIndex(of: "="), equals > query.startIndex,
            let place = call.lua.callerPlace, advised.count < Self.maxAdvised,
            advised.insert("\(place.file):\(place.line)").inserted
        else { return }
        let message = "a path is text, so the '?' in '\(Self.shown(text[..<equals]))=…' becomes %3F"
        let hint =
            "for parameters, write \(method)(…):with_param('\(Self.shown(query[..<equals]))', value)"
        if context.options.collectsDiagnostics {
            context.declarations.diagnostics.append(
                Diagnostic(
                    .warning, code: "query_in_path", message, file: place.file, line: place.line, hint: hint))
        } else {
            context.options.log(
                ScriptLogEntry(
                    level: .warn, text: "\(message): \(hint)", place: "\(place.file):\(place.line)"))
        }
    }

    private static func shown(_ text: some StringProtocol) -> String {
        text.count > 80 ? text.prefix(80) + "…" : String(text)
    }

    // MARK: Ending

    func remove(_ others: [Service]) {
        let gone = Set(others.map(ObjectIdentifier.init))
        declarations.removeAll { gone.contains(ObjectIdentifier($0.service)) }
        indices = [:]
        for (index, known) in declarations.enumerated() { indices[known.service.name] = index }
    }

    func removeAll() {
        declarations = []
        indices = [:]
        madeOfRequests = nil
    }

    /// An unused name: "service", "service-2" and so on.
    var nameOfBareService: String {
        var name = "service"
        var number = 1
        while indices[name] != nil {
            number += 1
            name = "service-\(number)"
        }
        return name
    }

    /// The engine's transport when the service has no settings of its own.
    func transport(for settings: TransportOptions?) -> any Transport {
        settings.flatMap { context.options.makeTransport?($0) } ?? context.engine.transport
    }

    // MARK: Memory

    func collectGarbage() {
        if !context.isClosed { context.state.collectGarbage() }
    }

    /// Drops resources that the last collection released, down to the services' limits. True when some were
    /// dropped, because they may have released further objects.
    func dropAboveLimits() -> Bool {
        everyone.count { $0.flushUnusedResourcesAboveLimit() } > 0
    }

    /// Drops the resources without holders and observers. It collects and drops twice: a collection releases
    /// the owners of observers, a dropped resource may own some itself, and an observer that is notified of
    /// its end may hold the last reference to a resource.
    func collectAndFlush(_ services: [Service]) {
        guard !context.isClosed else { return }
        for _ in 0..<2 {
            collectGarbage()
            for service in services { service.flushUnusedResources() }
        }
    }
}
