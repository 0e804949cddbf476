import LuaRuntime
import RestEngine

/// The services that a script has declared, and what it said of each beside its definition.
@EngineActor
final class ServiceRegistry {
    final class Declaration {
        let service: Service
        /// Where the script says it.
        let place: (file: String, line: Int)?
        /// Nil: the engine's own transport.
        let transport: TransportOptions?
        /// The script has set these itself; see ``Limit``.
        fileprivate(set) var limits: Set<Limit> = []

        fileprivate init(
            _ service: Service, at place: (file: String, line: Int)?, transport: TransportOptions?
        ) {
            (self.service, self.place, self.transport) = (service, place, transport)
        }
    }

    /// What a service may keep.
    enum Limit { case count, bytes }

    private var declarations: [Declaration] = []
    /// Where each name is among them: each declaration asks whether its name is taken.
    private var indices: [String: Int] = [:]
    unowned let context: ScriptContext

    init(_ context: ScriptContext) { self.context = context }

    var all: [Service] { declarations.map(\.service) }

    /// Those that no declaration made, too.
    var everyone: [Service] { all + (madeOfRequests.map { [$0] } ?? []) }

    private var madeOfRequests: Service?

    /// What `rest.request` defines requests of: a service with all defaults, which nobody declared.
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

    /// Where requests and proxies of the script may lead when declared hosts alone are granted.
    var bases: [URLText] { declarations.compactMap { $0.service.baseURL?.url } }

    /// Why a request of the script may not go to a URL, as the cause of its failure.
    func refusalOfRequest(to url: URLText) -> RequestError.Cause? {
        context.grants.refusalOfRequest(to: url, declared: bases)
    }

    func add(_ service: Service, at place: (file: String, line: Int)?, transport: TransportOptions?) {
        service.refusal = { [weak context] url in context?.services.refusalOfRequest(to: url) }
        service.onResourceLimit = { [weak context] in context?.services.collectGarbage() }
        service.limitsMatching { [weak context] url, work in
            guard let context else { return try work() }
            try context.blocks.limit(context, url, work)
        }
        indices[service.name] = declarations.count
        declarations.append(Declaration(service, at: place, transport: transport))
    }

    /// The script has set a limit of this service itself.
    func note(_ limit: Limit, of service: Service) {
        guard let index = indices[service.name] else { return }
        declarations[index].limits.insert(limit)
    }

    // MARK: Advice

    /// Places of the script that were told of a query in a path; enough to be read.
    private var advised: Set<String> = []
    private static let maxAdvised = 100

    /// A path is text, so the '?' before a query becomes `%3F` (rules 3.1, S3.1), which is seldom meant: a
    /// warning, once for each line of the script.
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

    /// "service", "service-2" and so on.
    var nameOfBareService: String {
        var name = "service"
        var number = 1
        while indices[name] != nil {
            number += 1
            name = "service-\(number)"
        }
        return name
    }

    /// The engine's own for a service that says nothing of it.
    func transport(for settings: TransportOptions?) -> any Transport {
        settings.flatMap { context.options.makeTransport?($0) } ?? context.engine.transport
    }

    // MARK: Memory

    func collectGarbage() {
        if !context.isClosed { context.state.collectGarbage() }
    }

    /// Of what the last collection let go of, drops as much as the services' limits ask for; whether that was
    /// anything, and so may have let go of more.
    func dropAboveLimits() -> Bool {
        everyone.count { $0.flushUnusedResourcesAboveLimit() } > 0
    }

    /// Drops the resources that nobody holds and nobody observes. Owners of observers die when they are
    /// collected, a resource that owned some when it has been dropped; and observers that were told of their
    /// end may have held the last reference to a resource. So the one makes room for the other, once.
    func collectAndFlush(_ services: [Service]) {
        guard !context.isClosed else { return }
        for _ in 0..<2 {
            collectGarbage()
            for service in services { service.flushUnusedResources() }
        }
    }
}
