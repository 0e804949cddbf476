import RestEngine

/// The answers of all workers of a host to one question, and the one answer for the client.
struct WorkerAnswers {
    private let own: Reply
    private let number: Int
    private let others: PeerAnswers

    /// - Parameters:
    ///   - own: The answer of this worker, a success.
    ///   - number: The number of this worker.
    init(own: Reply, of number: Int, _ others: PeerAnswers) {
        (self.own, self.number, self.others) = (own, number, others)
    }

    @EngineActor
    func merged(
        _ route: HostRoute, query: String?, _ accessPolicy: AccessPolicy, withDetails: Bool
    ) -> Reply {
        switch route {
        case .health: health(withDetails: withDetails)
        case .status: Reply(200, json: status)
        case .metrics: Reply(200, text: metrics(accessPolicy), type: MetricText.type)
        case .wipe: Reply(200, json: wiped)
        case .resources: Reply(200, json: resources(query))
        case .history: Reply(200, json: history)
        case .clients: Reply(200, json: clients(query))
        default: own
        }
    }

    private var ownTree: Tree { (try? Tree(json: own.body)) ?? [:] }

    /// The trees of all workers that have answered, in the order of their numbers.
    private var trees: [(worker: Int, tree: Tree)] {
        let trees = others.answers.compactMap { answer in answer.tree.map { (answer.worker, $0) } }
        return ((trees + [(number, ownTree)]) as [(worker: Int, tree: Tree)]).sorted { $0.worker < $1.worker }
    }

    // MARK: Health

    /// The host is well if all its workers are.
    private func health(withDetails: Bool) -> Reply {
        let all = trees
        let bad = all.filter { $0.tree["status"]?.string != GatewayHealth.Status.ok.rawValue }
        guard !bad.isEmpty || !others.silent.isEmpty else { return own }
        let messages = bad.map { ($0.worker, $0.tree["message"]?.string ?? "degraded") }
        let isOfAll = bad.count == all.count && Set(messages.map(\.1)).count == 1
        let texts =
            (isOfAll ? [messages[0].1] : messages.map { "worker \($0): \($1)" })
            + others.silent.map(Self.silence)
        var pairs = [("status", Tree(GatewayHealth.Status.degraded.rawValue))]
        if withDetails {
            pairs.append(("message", Tree(texts.joined(separator: "; "))))
            if let services = ownTree["services"] { pairs.append(("services", services)) }
        }
        return Reply(200, json: Tree(pairs: pairs))
    }

    private static func silence(_ worker: Int) -> String { "worker \(worker) doesn't answer" }

    // MARK: Status

    /// The status of this worker with the sums of all, and a row for each worker.
    private var status: Tree {
        let all = trees
        var tree = ownTree
        let sums = [
            ["requests"], ["jobs"], ["failed_jobs"], ["memory", "lua"], ["memory", "modules"],
            ["memory", "content"], ["memory", "bodies"], ["memory", "dropped"], ["memory", "resident"],
            ["memory", "content_limit"], ["gateway", "connections"], ["operators", "connections"],
            ["cpu", "lua"], ["cpu", "modules"], ["cpu", "process"], ["threads", "gateway"],
            ["threads", "transfers"],
        ]
        for path in sums where tree.value(at: path) != nil {
            tree = tree.setting(Self.sum(all.compactMap { $0.tree.value(at: path)?.double }), at: path)
        }
        if let services = tree["services"] {
            tree = tree.setting(Tree(services.elements.map { summed($0, all) }), at: ["services"])
        }
        var warnings: [Tree] = []
        for (_, tree) in all {
            for warning in tree["warnings"]?.elements.map({ $0 }) ?? [] where !warnings.contains(warning) {
                warnings.append(warning)
            }
        }
        warnings += others.silent.map { Tree(Self.silence($0)) }
        tree = tree.setting(Tree(warnings), at: ["warnings"])
        tree = tree.setting(Tree(limits(all)), at: ["limits"])
        let breakers = all.flatMap { worker, tree in
            (tree["breakers"]?.elements.map { $0 } ?? []).map { $0.setting(Tree(worker), at: ["worker"]) }
        }
        tree = tree.setting(Tree(breakers), at: ["breakers"])
        if let supervisor = tree["supervisor"] { tree = tree.setting(supervisor, at: ["pid"]) }
        return tree.setting(Tree(all.map { Self.row($0.worker, $0.tree) }), at: ["workers"])
    }

    /// Each limit with the sums of all workers. A worker knows those that its requests have met.
    private func limits(_ all: [(worker: Int, tree: Tree)]) -> [Tree] {
        var order: [String] = []
        var limits: [String: [Tree]] = [:]
        for limit in all.flatMap({ $0.tree["limits"]?.elements.map { $0 } ?? [] }) {
            let name = limit["name"]?.string ?? ""
            if limits[name] == nil { order.append(name) }
            limits[name, default: []].append(limit)
        }
        return order.compactMap { name in
            guard let same = limits[name], var sum = same.first else { return nil }
            for field in ["in_flight", "most_in_flight", "waiting", "rate"] where sum[field]?.double != nil {
                sum = sum.setting(Self.sum(same.compactMap { $0[field]?.double }), at: [field])
            }
            let paused = same.compactMap { $0["paused"]?.double }.max() ?? 0
            return sum.setting(Tree(paused), at: ["paused"])
        }
    }

    private static func sum(_ values: [Double]) -> Tree {
        let total = values.reduce(0, +)
        return Int(exactly: total).map { Tree($0) } ?? Tree((total * 1000).rounded() / 1000)
    }

    /// A service with the sums of all workers.
    private func summed(_ service: Tree, _ all: [(worker: Int, tree: Tree)]) -> Tree {
        let same = all.compactMap { worker in
            worker.tree["services"]?.elements.first { $0["name"] == service["name"] }
        }
        var sum = service
        for name in ["resources", "content", "content_limit"] where service[name]?.int != nil {
            sum = sum.setting(Tree(same.reduce(0) { $0 + Int($1[name]?.int ?? 0) }), at: [name])
        }
        for pair in service["evicted"]?.pairs.map({ $0 }) ?? [] {
            let total = same.reduce(0) { $0 + Int($1["evicted"]?[pair.key]?.int ?? 0) }
            sum = sum.setting(Tree(total), at: ["evicted", pair.key])
        }
        return sum
    }

    private static func row(_ worker: Int, _ tree: Tree) -> Tree {
        var pairs = [("number", Tree(worker))]
        for name in ["pid", "uptime", "requests", "jobs"] {
            if let value = tree[name] { pairs.append((name, value)) }
        }
        if let value = tree["generation"]?["number"] { pairs.append(("generation", value)) }
        if let value = tree["gateway"]?["connections"] { pairs.append(("connections", value)) }
        if let value = tree["memory"]?["resident"] { pairs.append(("resident", value)) }
        if let value = tree["cpu"]?["process"] { pairs.append(("cpu", value)) }
        return Tree(pairs: pairs)
    }

    // MARK: Metrics

    @EngineActor
    private func metrics(_ accessPolicy: AccessPolicy) -> String {
        var sum = MetricSum()
        let texts =
            [(number, own.body)] + others.answers.filter { $0.status == 200 }.map { ($0.worker, $0.body) }
        for (worker, text) in texts.sorted(by: { $0.0 < $1.0 }) {
            // Other workers answer with all that an admin sees.
            sum.add(String(decoding: text, as: UTF8.self), of: worker) { labels in
                accessPolicy.showsEverything || EngineClient.isShown(labels, accessPolicy)
            }
        }
        return sum.text
    }

    // MARK: Latest requests

    /// Rows of all workers, each with its worker, in the order of their times.
    private func rows(_ list: String, by time: String) -> [Tree] {
        trees.flatMap { worker, tree in
            (tree[list]?.elements.map { $0 } ?? []).map { $0.setting(Tree(worker), at: ["worker"]) }
        }.sorted { ($0[time]?.double ?? 0) < ($1[time]?.double ?? 0) }
    }

    /// It is complete since all workers keep their requests.
    private var history: Tree {
        let since = trees.compactMap { $0.tree["since"]?.double }.max() ?? 0
        return ["since": Tree(since), "events": Tree(rows("events", by: "time"))]
    }

    /// The last numbers are in the order of the workers. That of a silent one stays as it was asked.
    private func clients(_ query: String?) -> Tree {
        let asked = WorkerNumbers((try? RouteQuery(query, known: ["after"]))?["after"] ?? "")
        let known = Dictionary(uniqueKeysWithValues: trees.map { ($0.worker, $0.tree["last"]?.int ?? 0) })
        let last = (1...max(1, (Array(known.keys) + others.silent).max() ?? 1)).map { worker in
            known[worker].map { String($0) } ?? asked[worker]
        }
        return [
            "last": Tree(last.joined(separator: ",")), "requests": Tree(rows("requests", by: "began")),
        ]
    }

    // MARK: Resources

    private var wiped: Tree {
        let count = trees.reduce(0) { $0 + Int($1.tree["resources"]?.int ?? 0) }
        return ownTree.setting(Tree(count), at: ["resources"])
    }

    private func resources(_ query: String?) -> Tree {
        let given = try? RouteQuery(query, known: ["service", "limit", "offset"])
        let limit = (try? given?.count("limit", default: 100, most: 10_000)) ?? 100
        let offset = (try? given?.count("offset", default: 0, least: 0, most: 10_000_000)) ?? 0
        var rows: [(service: String, url: String, row: Tree)] = []
        var total = 0
        for (worker, tree) in trees {
            total += Int(tree["total"]?.int ?? 0)
            for row in tree["resources"]?.elements.map({ $0 }) ?? [] {
                rows.append(
                    (
                        row["service"]?.string ?? "", row["url"]?.string ?? "",
                        row.setting(Tree(worker), at: ["worker"])
                    ))
            }
        }
        rows.sort { ($0.service, $0.url) < ($1.service, $1.url) }
        return ["total": Tree(total), "resources": Tree(rows.dropFirst(offset).prefix(limit).map(\.row))]
    }
}

extension Tree {
    fileprivate func value(at path: [String]) -> Tree? {
        path.reduce(self as Tree?) { $0?[$1] }
    }

    /// A copy with a member at this path. Objects on the way that are missing are made.
    fileprivate func setting(_ value: Tree, at path: [String]) -> Tree {
        guard let name = path.first else { return value }
        let inner = (self[name] ?? [:]).setting(value, at: Array(path.dropFirst()))
        var pairs: [(String, Tree)] = []
        var isThere = false
        for pair in self.pairs {
            isThere = isThere || pair.key == name
            pairs.append((pair.key, pair.key == name ? inner : pair.value))
        }
        if !isThere { pairs.append((name, inner)) }
        return Tree(pairs: pairs)
    }
}
