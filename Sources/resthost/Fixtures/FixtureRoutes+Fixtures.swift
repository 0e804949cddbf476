import RestEngine

/// Requests for what is in the folder.
extension FixtureRoutes {
    func read(
        _ path: FixturePath, _ request: FixtureRequest, _ target: FixtureTarget, at now: Double
    ) throws(FixtureRefusal) -> FixtureResponse {
        let page = try FixturePage(target)
        let mayList = FixtureGuard.refusal(request.headers, tokens, at: now) == nil
        let found = try store.document(at: path) { mayList || !access.covers($0) }
        guard var document = found else { throw .notFound }
        var links: String?
        if let page, document.contentType == FixtureContentType.json,
            let list = try document.value(at: path).list
        {
            document.bytes = Tree(page.slice(list)).jsonBytes
            let origin = request.headers["Host"].map { "http://" + $0 } ?? ""
            links = page.links(count: list.count, target: target, origin: origin)
        }
        let validators = FixtureValidators(document.bytes, modified: document.modified)
        var response = FixtureResponse(validators.isCurrent(request.headers) ? 304 : 200)
        response.headers.set("Content-Type", document.contentType)
        response.headers.set("ETag", validators.etag)
        response.headers.set("Last-Modified", validators.lastModified)
        if let links { response.headers.set("Link", links) }
        response.body = document.bytes
        return response
    }

    mutating func change(
        _ path: FixturePath, _ request: FixtureRequest, at now: Int
    ) throws(FixtureRefusal) -> FixtureResponse {
        switch request.method {
        case "POST":
            let (place, item) = try store.add(Self.value(of: request), to: path, at: now)
            return FixtureResponse(201, json: item, headers: [("Location", place.encoded)])
        case "PUT":
            let (isNew, value) = try store.replace(Self.value(of: request), at: path, now: now)
            let location = isNew ? [("Location", path.encoded)] : []
            return FixtureResponse(isNew ? 201 : 200, json: value, headers: location)
        case "PATCH":
            return FixtureResponse(200, json: try store.merge(Self.value(of: request), into: path, at: now))
        case "DELETE":
            try store.remove(path, at: now)
            return FixtureResponse(204)
        default:
            guard let document = try store.document(at: path) else { throw .notFound }
            let methods = document.methods(at: path)
            guard request.method == "OPTIONS" else { throw .notAllowed(methods) }
            return FixtureResponse(204, headers: [("Allow", methods.joined(separator: ", "))])
        }
    }

    /// Less deep than files may be, so that a list can be read again when this is in it.
    private static let limits = Tree.Limits(depth: 256)

    static func value(of request: FixtureRequest) throws(FixtureRefusal) -> Tree {
        do { return try Tree(json: request.body, limits: limits) } catch { throw .malformed(error) }
    }
}
