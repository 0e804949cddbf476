import RestEngine

extension EngineClient {
    /// The document of a client: routes, the script's definitions, and the exposed paths that a template can
    /// express. It only contains operations that the client can reach.
    @EngineActor
    func openAPI(_ accessPolicy: AccessPolicy) -> Reply {
        let access = rules.currentAccess
        var document = OpenAPIDocument(schemes: access.identities.schemes)
        document.addHostRoutes()
        for route in access.routes.all { document.add(route: route) }
        for operation in control?.operations ?? [] where isShown(operation, accessPolicy) {
            document.add(
                operation.method, service: operation.service, path: operation.path,
                summary: "\(operation.method) \(operation.path)")
            // The rules expose paths with all methods of the service.
            for method in accessPolicy.methods(of: operation.service) {
                document.add(
                    method, service: operation.service, path: operation.path,
                    summary: "\(method) \(operation.path)")
            }
        }
        for name in serviceNames(accessPolicy) {
            for path in accessPolicy.templates(of: name) {
                for method in accessPolicy.methods(of: name)
                where isShown(GatewayOperation(service: name, method: method, path: path), accessPolicy) {
                    document.add(method, service: name, path: path, summary: "\(method) of \(name)")
                }
            }
        }
        return Reply(200, json: document.tree)
    }

    /// A path that the client may request if each name is replaced by a value.
    @EngineActor
    private func isShown(_ operation: GatewayOperation, _ accessPolicy: AccessPolicy) -> Bool {
        guard accessPolicy.methods(of: operation.service).contains(operation.method),
            let service = shownService(named: operation.service, accessPolicy)
        else { return false }
        let filled = operation.path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.contains("{") ? "x" : String($0) }.joined(separator: "/")
        let path = ResourcePath(service: operation.service, target: filled)
        return (try? exposedURL(of: path, in: service, accessPolicy)) != nil
    }
}

extension AccessPolicy {
    /// The rules' paths as templates, if they can be expressed: a `*` is a segment. OpenAPI can't express
    /// `**`, so a path with one segment stands for all of them.
    func templates(of name: String) -> [String] {
        paths(of: name).compactMap { glob in
            guard !glob.contains("://"), !glob.contains("?"), !glob.contains("["), !glob.contains("{") else {
                return nil
            }
            var count = 0
            var segments: [String] = []
            for segment in glob.drop(while: { $0 == "/" }).split(
                separator: "/", omittingEmptySubsequences: false)
            {
                guard segment.contains("*") else {
                    segments.append(String(segment))
                    continue
                }
                // A part of a segment can't be a parameter.
                guard segment.allSatisfy({ $0 == "*" }) else { return nil }
                count += 1
                segments.append(count == 1 ? "{path}" : "{path\(count)}")
            }
            return "/" + segments.joined(separator: "/")
        }
    }
}
