import RestEngine

/// A request that a script defines for one of its services, if clients can make it (rules 68).
public struct GatewayOperation: Sendable, Hashable {
    /// The name of the service.
    public var service: String
    public var method: String
    /// The path below the service's base URL. In it `{name}` stands for any segment.
    public var path: String
    /// The place in the script, as `file:line`.
    public var origin: String?

    public init(service: String, method: String, path: String, origin: String? = nil) {
        self.service = service
        self.method = method
        self.path = path
        self.origin = origin
    }
}

/// The gateway's operations as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html).
struct OpenAPIDocument {
    /// See docs/reference/limits.md, L125.
    static let mostPaths = 2000

    private struct Operation {
        var summary: String
        var tag: String
        var parameters: [Tree]
        var responses: Tree
        var hasBody = false
    }

    /// Operations by path, then by method in lower case.
    private var paths: [(path: String, operations: [(method: String, operation: Operation)])] = []
    private var places: [String: Int] = [:]
    /// Paths that differ only in the names of their parameters are the same path.
    private var shapes: [String: String] = [:]
    /// The ways to show who the client is, by their names in the document; one of them is enough.
    private let schemes: [(String, Tree)]

    init(schemes: [(String, Tree)]) { self.schemes = schemes }

    // MARK: Content

    /// Adds a route of a script. OpenAPI can't express a name that stands for several segments, and has no
    /// path for `**`.
    mutating func add(route: GatewayRoute) {
        if route.template.hasSuffix("**") { return }
        let path = route.template.replacing("*}", with: "}")
        add(
            route.method, path,
            Operation(
                summary: "A route of the script", tag: "routes",
                parameters: Self.names(in: path, ["type": "string", "minLength": 1]),
                responses: Self.responses(of: route.method), hasBody: Self.mayHaveBody(route.method)))
        if route.method == "GET" { addHead(path) }
    }

    /// Adds a request of a service's resource. `path` begins behind the service's name.
    mutating func add(_ method: String, service: String, path: String, summary: String) {
        let path = "/" + PercentEncoding.segment(Array(service.utf8)) + path
        add(
            method, path,
            Operation(
                summary: summary, tag: service, parameters: Self.names(in: path),
                responses: Self.responses(of: method), hasBody: Self.mayHaveBody(method)))
    }

    private mutating func addHead(_ path: String) {
        guard let place = places[path], let get = paths[place].operations.first(where: { $0.method == "get" })
        else { return }
        var head = get.operation
        head.responses = Self.responses(nil)
        add("HEAD", path, head)
    }

    /// Adds the host's own paths that all clients may use.
    mutating func addHostRoutes() {
        let all: [(HostRoute, String)] = [
            (.health, "Whether the host works"), (.ready, "Whether the host takes requests"),
            (.services, "Names of services"),
            (.openapi, "This document"),
        ]
        for (route, summary) in all {
            let path = "/-/" + route.rawValue
            add(
                "GET", path,
                Operation(
                    summary: summary, tag: "host", parameters: [],
                    responses: Self.responses([
                        "application/json": ["schema": ["type": "object"] as Tree] as Tree
                    ])))
            addHead(path)
        }
    }

    /// - Parameter operation: Made only if the document doesn't have it: each of a script's definitions is
    ///   offered with all methods of its service.
    private mutating func add(_ method: String, _ path: String, _ operation: @autoclosure () -> Operation) {
        let method = method.lowercased()
        // OpenAPI has no other methods.
        guard ["get", "head", "post", "put", "patch", "delete", "options", "trace"].contains(method) else {
            return
        }
        let shape = Self.shape(of: path)
        let path = shapes[shape] ?? path
        shapes[shape] = path
        guard let place = places[path] else {
            guard paths.count < Self.mostPaths else { return }
            places[path] = paths.count
            paths.append((path, [(method, operation())]))
            return
        }
        if !paths[place].operations.contains(where: { $0.method == method }) {
            var operation = operation()
            operation.parameters =
                operation.parameters.filter { $0["in"] != "path" }
                + paths[place].operations[0].operation.parameters.filter { $0["in"] == "path" }
            paths[place].operations.append((method, operation))
        }
    }

    // MARK: Parts

    private static func mayHaveBody(_ method: String) -> Bool { !["GET", "HEAD"].contains(method) }

    /// JSON comes first: generators of clients take the first type that they know.
    private static let anything: Tree = [
        "application/json": ["schema": [:] as Tree] as Tree, "*/*": ["schema": [:] as Tree] as Tree,
    ]

    /// The types that clients are generated for. A schema for all of JSON would make some of them take no
    /// other type.
    private static let bodies: Tree = [
        "application/json": ["schema": ["type": "object"] as Tree] as Tree,
        "application/x-www-form-urlencoded": ["schema": ["type": "object"] as Tree] as Tree,
        "application/octet-stream": ["schema": ["type": "string", "format": "binary"] as Tree] as Tree,
    ]

    /// The responses of a service or a route.
    private static func responses(of method: String) -> Tree {
        guard method != "HEAD" else { return responses(nil) }
        return responses(anything, as: "2XX", mayBeEmpty: true)
    }

    /// All other statuses are problems.
    private static func responses(
        _ content: Tree?, as status: String = "200", mayBeEmpty: Bool = false
    ) -> Tree {
        var success: [(String, Tree)] = [("description", "The answer")]
        if let content { success.append(("content", content)) }
        var problem: [(String, Tree)] = [("description", "A failure, or the API's own answer to one")]
        if content != nil {
            problem.append(
                (
                    "content",
                    [
                        "application/problem+json": [
                            "schema": ["$ref": "#/components/schemas/Problem"] as Tree
                        ] as Tree,
                        "*/*": ["schema": [:] as Tree] as Tree,
                    ]
                ))
        }
        let empty: [(String, Tree)] = mayBeEmpty ? [("204", ["description": "Done, without content"])] : []
        return Tree(
            pairs: empty + [(status, Tree(pairs: success)), ("default", Tree(pairs: problem))])
    }

    /// The names in braces, in order and without repetition.
    private static func nameTexts(in path: String) -> [Substring] {
        var names: [Substring] = []
        var rest = path[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            if !names.contains(name) { names.append(name) }
            rest = rest[rest.index(after: close)...]
        }
        return names
    }

    private static func shape(of path: String) -> String {
        nameTexts(in: path).reduce(path) { $0.replacing("{\($1)}", with: "{}") }
    }

    private static func names(in path: String, _ schema: Tree = segment) -> [Tree] {
        nameTexts(in: path).map { name in
            [
                "name": Tree(String(name)), "in": "path", "required": true,
                "schema": schema,
            ]
        }
    }

    /// Excludes the segments that the gateway refuses (``RestEngine/PathText/validationError(to:)``). It also
    /// refuses double escapes that lead elsewhere, which a pattern can't express.
    private static let segment: Tree = [
        "type": "string", "minLength": 1,
        "pattern": #"^([^\u0000-\u001f\u007f/\\%]|%(?![0-9A-Fa-f]{2}))+$"#,
        "not": ["pattern": #"^\.\.?(;|$)"#] as Tree,
    ]

    // MARK: The document

    var tree: Tree {
        let problem: Tree = [
            "type": "object",
            "required": ["type", "title", "status", "detail", "code"] as Tree,
            "properties": [
                "type": ["type": "string"] as Tree, "title": ["type": "string"] as Tree,
                "status": ["type": "integer"] as Tree, "detail": ["type": "string"] as Tree,
                "code": ["type": "string"] as Tree,
            ] as Tree,
        ]
        var components: [(String, Tree)] = [("schemas", ["Problem": problem])]
        if !schemes.isEmpty { components.append(("securitySchemes", Tree(pairs: schemes))) }
        let identifiers = OperationIdentifiers(
            paths.flatMap { path, operations in operations.map { ($0.method, path) } })
        var document: [(String, Tree)] = [
            ("openapi", "3.1.0"), ("info", ["title": "resthost", "version": "1"]),
            ("servers", [["url": "/"] as Tree]),
            (
                "paths",
                Tree(
                    pairs: paths.sorted { $0.path < $1.path }.map { path, operations in
                        (path, tree(operations) { identifiers[$0, path] })
                    })
            ),
            ("components", Tree(pairs: components)),
        ]
        if !schemes.isEmpty {
            document.append(("security", Tree(schemes.map { Tree(pairs: [($0.0, [] as Tree)]) })))
        }
        return Tree(pairs: document)
    }

    private func tree(
        _ operations: [(method: String, operation: Operation)], identifier: (String) -> String
    ) -> Tree {
        Tree(
            pairs: operations.map { method, operation in
                var pairs: [(String, Tree)] = [
                    ("operationId", Tree(identifier(method))), ("summary", Tree(operation.summary)),
                    ("tags", [Tree(operation.tag)]),
                ]
                if !operation.parameters.isEmpty { pairs.append(("parameters", Tree(operation.parameters))) }
                if operation.hasBody { pairs.append(("requestBody", ["content": Self.bodies])) }
                pairs.append(("responses", operation.responses))
                return (method, Tree(pairs: pairs))
            })
    }
}
