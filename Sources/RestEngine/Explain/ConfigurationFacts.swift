/// A configuration as a list of fields, for comparison and output.
struct ConfigurationFacts {
    /// One value by its name.
    struct Field: Equatable {
        let name: String
        let value: Tree
    }

    /// Functions and transformers that were added, by field.
    struct Parts {
        let name: String
        let parts: [Explanation.Part]
    }

    let fields: [Field]
    let parts: [Parts]

    init(_ configuration: Configuration) {
        var fields = Self.scalars(configuration) + Self.attempts(configuration)
        for (name, values) in Self.values(configuration.headers) {
            let value = values.count == 1 ? Tree(values[0]) : Tree(values.map { Tree($0) })
            fields.append(Field(name: Self.headerPrefix + name, value: value))
        }
        for name in Headers.transportNames where configuration.headers.omitted.contains(name) {
            fields.append(Field(name: Self.headerPrefix + name, value: .null))
        }
        let pipeline = configuration.pipeline
        fields.append(Field(name: "pipeline.order", value: Tree(pipeline.order.map { Tree($0.rawValue) })))
        var parts = [
            Parts(
                name: "mutators",
                parts: configuration.mutators.map { .init(description: "", origin: $0.origin) }),
            Parts(
                name: "decorators",
                parts: configuration.decorators.map { .init(description: "", origin: $0.origin) }),
        ]
        for name in pipeline.order + pipeline.unlistedStages {
            let stage = pipeline[name]
            parts.append(Parts(name: "pipeline.\(name)", parts: stage.steps.map(Explanation.Part.init)))
            if let cache = stage.cache {
                fields.append(Field(name: "pipeline.\(name).cache", value: Tree(cache.description)))
            }
        }
        self.fields = fields
        self.parts = parts
    }

    static let headerPrefix = "headers."

    /// Each name once, as it was first written, with all its values.
    private static func values(_ headers: Headers) -> [(name: String, values: [String])] {
        var all: [(name: String, values: [String])] = []
        var places: [String: Int] = [:]
        for field in headers.fields {
            let name = field.name.lowercased()
            if let place = places[name] {
                all[place].values.append(field.value)
            } else {
                places[name] = all.count
                all.append((field.name, [field.value]))
            }
        }
        return all
    }

    private static func scalars(_ configuration: Configuration) -> [Field] {
        let timeouts = configuration.timeouts
        let redirects = configuration.redirects
        return [
            Field(name: "expiration_time", value: seconds(configuration.expirationSeconds)),
            Field(name: "retry_time", value: seconds(configuration.retrySeconds)),
            Field(name: "progress_interval", value: seconds(configuration.progressSeconds)),
            Field(name: "timeouts.connect", value: seconds(timeouts.connectSeconds)),
            Field(name: "timeouts.first_byte", value: seconds(timeouts.firstByteSeconds)),
            Field(name: "timeouts.idle", value: seconds(timeouts.idleSeconds)),
            Field(name: "timeouts.total", value: seconds(timeouts.totalSeconds)),
            Field(name: "max_body_bytes", value: Tree(configuration.maxBodyBytes)),
            Field(name: "redirects.follow", value: Tree(redirects.follow)),
            Field(name: "redirects.max", value: Tree(redirects.max)),
            Field(
                name: "collapse",
                value: configuration.sharesLoads ? "shared" : Tree(configuration.isCollapsing)),
        ] + extras(configuration)
    }

    /// Settings that few configurations have.
    private static func extras(_ configuration: Configuration) -> [Field] {
        let redirects = configuration.redirects
        var fields: [Field] = []
        if configuration.refreshSeconds > 0 {
            fields.append(
                Field(name: "refresh_while_observed", value: seconds(configuration.refreshSeconds)))
        }
        if configuration.isTraced { fields.append(Field(name: "trace", value: true)) }
        if !configuration.sendsRequestID { fields.append(Field(name: "request_id", value: false)) }
        if let computation = configuration.computation {
            let origin = computation.origin.map { "function at \($0)" } ?? "function"
            fields.append(Field(name: "computed", value: Tree(origin)))
        }
        if let schema = configuration.schema {
            let origin = schema.origin.map { " at \($0)" } ?? ""
            fields.append(Field(name: "schema", value: Tree(schema.description + origin)))
        }
        if let stream = configuration.stream {
            fields.append(Field(name: "stream", value: Tree(stream.rawValue)))
        }
        if !redirects.keepHeaders.isEmpty {
            let names = redirects.keepHeaders.map { Tree($0.rawValue) }
            fields.append(Field(name: "redirects.keep_headers", value: Tree(names)))
        }
        if let on = redirects.on {
            fields.append(Field(name: "redirects.on", value: Tree("function at \(on.origin)")))
        }
        return fields
    }

    /// Empty until a block sets one of them.
    private static func attempts(_ configuration: Configuration) -> [Field] {
        guard configuration.attemptRules != nil else { return [] }
        var fields: [Field] = []
        func add(_ name: String, _ value: Tree?) {
            if let value { fields.append(Field(name: name, value: value)) }
        }
        if let retry = configuration.retry {
            add("retry.attempts", Tree(retry.attempts))
            add("retry.base", seconds(retry.baseSeconds))
            add("retry.cap", seconds(retry.capSeconds))
            add("retry.statuses", Tree(retry.statuses.sorted().map { Tree($0) }))
            add("retry.budget", seconds(retry.budget))
            if retry.when != nil { add("retry.when", "function") }
        }
        if let limits = configuration.limits {
            add("limits.in_flight", limits.inFlight.map { Tree($0) })
            add("limits.queue", Tree(limits.mostWaiting))
            add("limits.queue_timeout", seconds(limits.longestWait))
            if let rate = limits.rate {
                add("limits.rate.requests", Tree(rate.requests))
                add("limits.rate.per", seconds(rate.perSeconds))
                add("limits.rate.burst", Tree(rate.burst ?? rate.requests))
            }
            add("limits.scope", Tree("\(limits.scope)"))
            add("limits.shared", Tree(limits.isShared))
        }
        if configuration.priority != 0 { add("priority", Tree(configuration.priority)) }
        if let breaker = configuration.breaker {
            add("breaker.ratio", seconds(breaker.ratio))
            add("breaker.requests", Tree(breaker.requests))
            add("breaker.window", seconds(breaker.windowSeconds))
            add("breaker.open", seconds(breaker.openSeconds))
        }
        for (name, value) in [
            ("stale_if_error", configuration.staleIfErrorSeconds),
            ("stale_while_revalidate", configuration.staleWhileRevalidateSeconds),
        ] where value > 0 {
            add(name, seconds(value))
        }
        return fields
    }

    /// Whole numbers without a fraction, as people write them.
    private static func seconds(_ value: Double) -> Tree {
        Int64(exactly: value).map { Tree($0) } ?? Tree(value)
    }

    // MARK: Comparing

    /// The changes from `before` to this configuration, in the order of the fields.
    func changes(since before: ConfigurationFacts) -> [Explanation.Change] {
        var changes: [Explanation.Change] = []
        let old = before.values
        for field in fields {
            let was = old[field.name.lowercased()]
            if was != field.value { changes.append(.value(field.name, before: was, after: field.value)) }
        }
        let new = values
        for field in before.fields where new[field.name.lowercased()] == nil {
            changes.append(.value(field.name, before: field.value, after: nil))
        }
        var names = parts.map(\.name)
        names += before.parts.map(\.name).filter { !names.contains($0) }
        for name in names {
            let was = before.parts.first { $0.name == name }?.parts ?? []
            let now = parts.first { $0.name == name }?.parts ?? []
            let difference = now.difference(from: was)
            for case .remove(_, let part, _) in difference { changes.append(.removed(name, part)) }
            for case .insert(_, let part, _) in difference { changes.append(.added(name, part)) }
        }
        return changes
    }

    /// By name; names of headers compare without case.
    private var values: [String: Tree] {
        Dictionary(fields.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
    }
}

extension Explanation.Part {
    init(_ step: PipelineStage.Step) {
        self.init(
            description: step.transformer.description, origin: step.transformer.origin,
            contentTypes: step.contentTypes?.patterns)
    }
}
