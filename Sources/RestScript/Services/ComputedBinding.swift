import LuaRuntime
import Platform
import RestEngine

/// `service:computed`.
struct ComputedBinding {
    unowned let context: ScriptContext

    /// The options of `service:computed`.
    struct Options {
        var expirationSeconds: Double?
        var follows = true
    }

    nonisolated static let options = ScriptSchema<Options>([
        .seconds(
            "expiration_time", .zeroOrMore,
            "How long the content stays up to date, counted from its computation; by default as configured."
        ) { $0.expirationSeconds = $1 },
        .flag(
            "follow", default: "true",
            "Whether new data of a resource that the function read makes the content stale. While the resource is observed, it "
                + "is then computed again."
        ) { $0.follows = $1 },
    ])

    /// `service:computed(path, [options,] fn)`.
    @EngineActor
    func add(_ call: Arguments) throws {
        let service = try call.receiver(as: Service.self)
        let hasOptions = call.type(2) == .table
        try BlockBinding.refuseSwapped(call, last: call.count, "computed", "fn")
        let text = try call.text(1, "path", .path)
        let path: PathPattern
        do throws(PatternError) { path = try PathPattern(text) } catch {
            throw call.bad(1, "path", error.description)
        }
        let function = try call.scriptFunction(hasOptions ? 3 : 2, "fn")
        var given = Options()
        if hasOptions { try call.options(2).read(Self.options, into: &given) }
        let origin = call.place
        context.declarations.keep(1024 + 8 * text.utf8.count)
        service.computed(
            ComputedDeclaration(
                path: path, expirationSeconds: given.expirationSeconds, follows: given.follows, origin: origin
            ) { [weak context] names, resource in
                ScriptComputation(context, function, names, resource, origin: origin)
            })
    }
}

/// One call of the function of a computed resource.
@EngineActor
private final class ScriptComputation: CustomRequest {
    private weak var context: ScriptContext?
    private let function: ScriptFunction
    private let names: [String: String]
    private let resource: Resource
    let origin: String?
    private var hook: ScriptHook?

    init(
        _ context: ScriptContext?, _ function: ScriptFunction, _ names: [String: String],
        _ resource: Resource, origin: String?
    ) {
        (self.context, self.function, self.names) = (context, function, names)
        (self.resource, self.origin) = (resource, origin)
    }

    func start(_ completion: RequestCompletion) {
        guard let context, !context.isClosed else {
            completion.complete(.failure(RequestError(thrown: ScriptContext.closed, timestamp: 0)))
            return
        }
        hook = context.runner.run(function.reference, phase: context.phases.job) { lua in
            lua.newTable(record: Int32(names.count))
            for (name, value) in names {
                lua.push(value)
                lua.rawSet(-2, name)
            }
            context.values.push(resource, on: lua)
            return 2
        } completion: { [weak context, self] lua, result in
            guard let context, !completion.willIgnore else { return }
            switch result {
            case .failure(let error):
                let placed = error.placed(file: function.file, line: function.line)
                completion.complete(.failure(context.values.requestError(of: placed)))
            case .success(let count): completion.complete(response(lua, count, context))
            }
        }
    }

    private func response(_ lua: Lua, _ count: Int32, _ context: ScriptContext) -> Response {
        switch ReturnedAnswer(lua, count, of: "a computed resource", context) {
        case .response(let response): return response
        case .content(let content):
            let content = content ?? .bytes([])
            return .success(
                Entity(
                    content: content, contentType: content.usualType,
                    timestamp: context.engine.scheduler.now))
        }
    }

    func cancel() { hook?.cancel() }

    func repeated() -> any CustomRequest {
        ScriptComputation(context, function, names, resource, origin: origin)
    }

    var description: String { "computation" + (origin.map { " at \($0)" } ?? "") }
}
