import Platform

/// The merged properties of all levels of a definition (rules 34, 35, 36, 37, 38, 39).
struct DefinitionContents: Sendable, Hashable {
    /// The service; nil until the definition is sent through one.
    private var owner: Service?
    /// The base of the service or of the caller, including the paths of the endpoints.
    var base: URLText
    var headers = DefinedHeaders()
    var query: [Placed<QueryItem>] = []
    var path: [Placed<PathComponent>] = []
    var body: Placed<DefinedBody>?
    var configuration: [Placed<ConfigurationFunction>] = []
    var idempotencyKey: Placed<IdempotencyChoice>?
    var queryStyle: Placed<QueryStyle>?
    private(set) var levels: [DefinitionLevel] = []
    /// The number of values and bytes in query and path.
    private var size = Size()

    private struct Size {
        var queryValues = 0
        var queryBytes = 0
        var pathBytes = 0
    }

    init(service: Service?, base: URLText) {
        owner = service
        self.base = base
    }

    /// The service that sends the requests. A definition without one is never handed out.
    var service: Service {
        get {
            guard let owner else { preconditionFailure("a definition without a service") }
            return owner
        }
        set { owner = newValue }
    }

    func isSent(through service: Service) -> Bool { owner === service }

    // MARK: Levels

    /// Returns the number of the level for its properties; a level equal to the last one gets no new number.
    mutating func enter(_ level: DefinitionLevel) throws(DefinitionError) -> Int {
        if levels.last == level { return levels.count - 1 }
        guard levels.count < DefinitionLimits.levels else {
            throw DefinitionError(
                .tooMany,
                "a definition has \(DefinitionLimits.levels) levels at most, endpoints and modifiers")
        }
        levels.append(level)
        return levels.count - 1
    }

    /// Adds the path of an endpoint; the empty one adds nothing (34.3).
    mutating func descend(_ component: PathComponent) throws(DefinitionError) {
        guard !component.escaped.isEmpty else { return }
        size.pathBytes += component.escaped.utf8.count
        try Self.check(size.pathBytes, DefinitionLimits.bytes, "the path of a definition takes", "MiB")
        base = base.appendingPath(escaped: [component.escaped])
    }

    // MARK: Properties

    /// Adds the properties of a level to those of the same kind.
    mutating func add(_ properties: RequestProperties, level: Int) throws(DefinitionError) {
        if let items = properties.headers { try add(items, level: level) }
        if let items = properties.query { try add(items, level: level) }
        if let components = properties.path { try add(components, level: level) }
        if let functions = properties.configuration {
            configuration += functions.map { Placed($0, level) }
            guard configuration.count <= DefinitionLimits.configurationFunctions else {
                throw DefinitionError(
                    .tooMany,
                    "a definition has \(DefinitionLimits.configurationFunctions) configuration functions at most"
                )
            }
        }
        if let change = properties.body { set(change, level: level) }
        if let key = properties.idempotencyKey {
            if case .key(let text) = key { try HeaderItem(IdempotencyKey.header, text).check() }
            idempotencyKey = Placed(key, level)
        }
        if let style = properties.queryStyle { queryStyle = Placed(style, level) }
    }

    /// Replaces the properties of each kind that the level sets.
    mutating func set(_ properties: RequestProperties, level: Int) throws(DefinitionError) {
        if properties.headers != nil { headers = DefinedHeaders() }
        if properties.query != nil {
            query = []
            (size.queryValues, size.queryBytes) = (0, 0)
        }
        if properties.path != nil {
            size.pathBytes -= path.reduce(0) { $0 + $1.value.escaped.utf8.count }
            path = []
        }
        if properties.configuration != nil { configuration = [] }
        try add(properties, level: level)
    }

    private mutating func add(_ items: [HeaderItem], level: Int) throws(DefinitionError) {
        for item in items {
            try item.check()
            headers.add(item, level: level)
        }
        try checkHeaders()
    }

    mutating func setHeader(_ item: HeaderItem, level: Int) throws(DefinitionError) {
        try item.check()
        let isJoined = item.values.count > 1 && Headers.isList(item.name)
        headers.set(
            item.name, isJoined ? [item.values.joined(separator: ", ")] : item.values, level: level)
        try checkHeaders()
    }

    private func checkHeaders() throws(DefinitionError) {
        try Self.check(
            headers.fieldCount, DefinitionLimits.headerFields, "the headers of a definition are", "fields")
        try Self.check(headers.byteCount, DefinitionLimits.bytes, "the headers of a definition take", "MiB")
    }

    private mutating func add(_ items: [QueryItem], level: Int) throws(DefinitionError) {
        query.reserveCapacity(query.count + items.count)
        for item in items { try append(item, level: level) }
    }

    private mutating func append(_ item: QueryItem, level: Int) throws(DefinitionError) {
        size.queryValues += item.value.count
        size.queryBytes += item.byteCount
        try Self.check(
            size.queryValues, DefinitionLimits.queryValues, "the query of a definition has", "values")
        try Self.check(size.queryBytes, DefinitionLimits.bytes, "the query of a definition takes", "MiB")
        query.append(Placed(item, level))
    }

    /// Replaces all parameters of that name with one, at the position of the first, or appends it; nil
    /// removes them (36.7).
    mutating func setQuery(_ name: String, _ value: QueryValue?, level: Int) throws(DefinitionError) {
        let item = QueryItem(name, value ?? .bare)
        let place = query.firstIndex { $0.value.escapedName == item.escapedName }
        removeQuery(named: item.escapedName)
        guard value != nil else { return }
        try append(item, level: level)
        if let place, place < query.count - 1 { query.insert(query.removeLast(), at: place) }
    }

    private mutating func removeQuery(named name: String) {
        for item in query where item.value.escapedName == name {
            size.queryValues -= item.value.value.count
            size.queryBytes -= item.value.byteCount
        }
        query.removeAll { $0.value.escapedName == name }
    }

    mutating func add(_ components: [PathComponent], level: Int) throws(DefinitionError) {
        for component in components where !component.escaped.isEmpty {
            size.pathBytes += component.escaped.utf8.count
            path.append(Placed(component, level))
        }
        try Self.check(
            path.count, DefinitionLimits.pathComponents, "the path of a definition has", "components")
        try Self.check(size.pathBytes, DefinitionLimits.bytes, "the path of a definition takes", "MiB")
    }

    private mutating func set(_ change: RequestProperties.BodyChange, level: Int) {
        headers.removeThoseOfBody()
        switch change {
        case .remove: body = nil
        case .replace(let new):
            body = Placed(new, level)
            if let type = new.contentType {
                headers.set("Content-Type", [type], level: level, isOfBody: true)
            }
        }
    }

    private static func check(
        _ count: Int, _ limit: Int, _ what: String, _ unit: String
    ) throws(DefinitionError) {
        guard count > limit else { return }
        throw DefinitionError(
            .tooMany, "\(what) \(unit == "MiB" ? limit >> 20 : limit) \(unit) at most")
    }

    /// The approximate size in memory: each property takes space besides its text.
    var byteCount: Int {
        let places = query.count + path.count + headers.fieldCount + levels.count
        return 512 + 64 * places + size.queryBytes + size.pathBytes + headers.byteCount
            + (body?.value.bytes?.count ?? 0)
    }

    // MARK: Result

    /// Base, path and query, those of the base first (36.1, 37.1).
    var url: URLText {
        let style = queryStyle?.value ?? .repeat
        var text: [UInt8] = []
        for item in query { item.value.write(style, to: &text) }
        guard !path.isEmpty || !text.isEmpty else { return base }
        return base.appendingPath(escaped: path.map(\.value.escaped), query: text)
    }

    /// All headers of a request, including those of its body.
    var allHeaders: Headers {
        var all = headers.headers
        if let body, case .success(let encoded) = body.value.content, !headers.contains("Content-Type"),
            !all.omitted.contains("content-type")
        {
            all.set("Content-Type", encoded.contentType)
        }
        if case .key(let key)? = idempotencyKey?.value { all.set(IdempotencyKey.header, key) }
        return all
    }

    static func == (a: Self, b: Self) -> Bool {
        a.owner === b.owner && a.base == b.base && a.path == b.path && a.query == b.query
            && a.queryStyle ?? .standard == b.queryStyle ?? .standard
            && a.headers == b.headers && a.body == b.body && a.configuration == b.configuration
            && a.idempotencyKey == b.idempotencyKey
    }

    /// Hashes the properties that differ most often.
    func hash(into hasher: inout Hasher) {
        hasher.combine(base)
        hasher.combine(path)
        hasher.combine(query)
        hasher.combine(body?.value.kind)
    }
}

extension Placed<QueryStyle> {
    fileprivate static var standard: Placed { Placed(.repeat, 0) }
}

extension QueryItem {
    fileprivate var byteCount: Int { escapedName.utf8.count * max(1, value.count) + value.byteCount }
}

extension URLText {
    /// Appends escaped text to the path and the query, which stay unchanged.
    func appendingPath(escaped components: [String], query: [UInt8] = []) -> URLText {
        var reference = reference
        for component in components {
            if reference.path.last != .slash { reference.path.append(.slash) }
            let utf8 = component.utf8
            reference.path += utf8.first == .slash ? utf8.dropFirst() : utf8[...]
        }
        if !query.isEmpty {
            let own = reference.query ?? []
            reference.query = own.isEmpty ? query[...] : own + [UInt8(ascii: "&")] + query
        }
        return URLText(reference)
    }
}
