import ContentFormats
import LuaRuntime
import Platform
import RestEngine

/// The options of `rest.service`.
struct ServiceOptions {
    /// The connection settings of a service, and how it keeps cookies.
    struct Connection {
        var options = TransportOptions()
        var cookies: CookieSetting?
    }

    /// The base URL as the script wrote it.
    var base: String?
    var baseURL: BaseURL?
    var name: String?
    var standardTransformers = StandardTransformer.allCases
    /// Further ones, which a service has only if its script names them.
    var formats: [ContentFormat] = []
    /// Nil means the engine's transport.
    var transport: Connection?
    /// For the script's own requests only.
    var isInternal = false

    static let schema = ScriptSchema<ServiceOptions>([
        .text("base_url", .url, "The URL of the API; without it only absolute URLs work.") { options, text in
            do throws(BaseURLError) { options.baseURL = try BaseURL(text) } catch {
                throw LuaUsageError("base_url \(error)")
            }
            options.base = text
        },
        .text("name", .name, "A unique name in the script; default: the host of `base_url`, or `service`.") {
            $0.name = $1
        },
        .texts(
            "standard_transformers", words: transformerNames,
            "The standard transformers of the pipeline; default: the first four; with `{}` bodies stay bytes."
        ) { options, names in
            options.standardTransformers = names.compactMap { StandardTransformer(rawValue: $0) }
            options.formats = names.compactMap { ContentFormat(rawValue: $0) }
            for name in names where !transformerNames.contains(name) {
                let known = transformerNames.map { "\"\($0)\"" }.joined(separator: ", ")
                throw LuaUsageError("unknown standard transformer '\(name)': there are \(known)")
            }
        },
        .table(
            "transport", connection, from: { Connection() },
            "The service's own connection settings."
        ) { $0.transport = $1 },
        .flag(
            "internal", default: "false",
            """
            Hides the service: the gateway doesn't serve it, and `resthost get` takes it only by name. For what a script \
            asks for itself, such as tokens.
            """
        ) { $0.isInternal = $1 },
    ])

    private static let transformerNames =
        StandardTransformer.allCases.map(\.rawValue) + ContentFormat.allCases.map(\.rawValue)

    private static let connection = ScriptSchema<Connection>("transport", [cookies] + ofTransport)

    private static let ofTransport = TransportOptions.fields().map {
        (field: ScriptOption<TransportOptions>) -> ScriptOption<Connection> in
        field.within { try $1(&$0.options) }
    }

    private static let cookies = ScriptOption<Connection>(
        "cookies", type: "boolean | { ... }", default: "false", fields: cookieFile.descriptions,
        "Keeps cookies and sends them; a table names a file for persistent ones."
    ) { options, connection, _ in
        guard let place = options.value("cookies") else { return }
        let flag = options.lua.boolean(place)
        let isTable = options.lua.type(place) == .table
        options.lua.pop()
        if let flag {
            connection.cookies = flag ? .memory : nil
            return
        }
        guard isTable, let fields = try options.options("cookies") else {
            throw OptionFault("is true, or { path = \"cookies.db\" }")
        }
        defer { options.lua.pop() }
        var path = ""
        try fields.read(cookieFile, into: &path)
        guard !path.isEmpty else { throw OptionFault("needs a path: { path = \"cookies.db\" }") }
        connection.cookies = .file(path)
    }

    private static let cookieFile = ScriptSchema<String>(
        "transport.cookies",
        [.text("path", "The path of a database, relative to the script's folder.") { $0 = $1 }])
}

extension ServiceBinding {
    /// `rest.service { … }`. After an error, a check goes on with a service that is not registered, to find
    /// further errors.
    func makeService(_ call: Arguments) throws -> CallResult {
        var made: Service?
        try context.declarations.declare(call) { made = try service(call) }
        let stand = try BaseURL("http://localhost/")
        values.push(made ?? Service(engine: engine, name: "unnamed", baseURL: stand), on: call.lua)
        return .one
    }

    private func service(_ call: Arguments) throws -> Service {
        var given = ServiceOptions()
        try call.options(1, example: "rest.service { base_url = \"https://…\" }")
            .read(ServiceOptions.schema, into: &given) { try context.grant($0, $1) }
        if let proxy = given.transport?.options.proxy {
            given.transport?.options.proxy = try context.grants.proxy(
                proxy, for: given.baseURL?.url, declared: context.services.bases)
        }
        let settings = given.transport?.options
        let name = given.name ?? given.baseURL?.url.host ?? context.services.nameOfBareService
        guard !name.isEmpty, !name.hasPrefix("-"), !name.contains("/") else {
            throw LuaUsageError(
                "'\(name)' can't name a service: a name is not empty, has no '/' and doesn't begin with '-'")
        }
        guard context.services[name] == nil else {
            throw LuaUsageError("a service named '\(name)' exists already: give this one a name of its own")
        }
        let service =
            context.generation.takeOver(name, given.baseURL, given.standardTransformers, settings)
            ?? Service(
                engine: engine, name: name, baseURL: given.baseURL,
                standardTransformers: given.standardTransformers,
                transport: context.services.transport(for: settings))
        for format in given.formats { service.configure(format.entry) }
        context.services.add(
            service, at: call.lua.callerPlace, transport: settings, isInternal: given.isInternal)
        context.declarations.keep(1024 + 2 * name.utf8.count + 2 * (given.base?.utf8.count ?? 0))
        service.cookies = try given.transport?.cookies.map { try context.services.jar($0, of: name) }
        return service
    }
}
