import Gateway
import Platform
import RestScript

/// The settings of `[gateway]` in `resthost.toml`. They go before those of the script: the operator decides
/// where it runs.
struct GatewayOverrides {
    var listen: [String] = []
    /// The line of `listen` in the file.
    private(set) var listenLine: Int?
    var threads: Int?
    private var requestTimeout: Double?
    private var limits = GatewayDeclaration.Limits.unset

    func apply(to limits: inout GatewayLimits) {
        limits.requestTimeout = requestTimeout ?? limits.requestTimeout
        limits.apply(self.limits)
    }

    typealias Field = OptionField<SettingsValue, GatewayOverrides>

    static let fields: [Field] =
        [
            Field(
                "listen", type: "string | string[]",
                "Addresses, `host:port` or `unix:/path`, also for a script without `rest.gateway`; the system chooses port 0."
            ) { value, gateway, _ in
                (gateway.listen, gateway.listenLine) = (try value.addresses(), value.entry.line)
            }.like("`--listen`, [`listen`](gateway-options.md#listen)"),
            .count(
                "threads", from: 1, to: 1024,
                "Threads that serve the gateway; without it as many as processors, less one for the engine."
            ) { $0.threads = $1 }.like("`--gateway-threads`"),
            Field(
                "rate-per-client", type: "string",
                "`\"100\"` requests of one client in a second, `\"100/60\"` in 60 seconds, `\"100/60/20\"` with 20 at once; one more gets 429."
            ) { value, gateway, _ in gateway.limits.perClient = try rate(value) }
            .like("[`limits.per_client.rate`](gateway-options.md#limitsper_clientrate)"),
            .seconds("timeout", .between(0.1, 86_400), "Time for one request; then it gets 504.") {
                $0.requestTimeout = $1
            }.like("[`timeout`](gateway-options.md#restgateway)"),
        ]
        + GatewayDeclaration.Limits.fields().map { inFile($0, $0.description.name, of: "limits") }
        + GatewayDeclaration.Limits.clientFields().map {
            inFile($0, "\($0.description.name)_per_client", of: "limits.per_client")
        }

    /// A limit of the script's under the name that it has in the file.
    private static func inFile(
        _ field: OptionField<SettingsValue, GatewayDeclaration.Limits>, _ name: String, of owner: String
    ) -> Field {
        let anchor = owner.replacing(".", with: "")
        return field.within { try $1(&$0.limits) }.named(name.replacing("_", with: "-"))
            .like("[`\(owner).\(field.description.name)`](gateway-options.md#\(anchor))")
    }

    /// `"100"` each second, `"100/60"` each minute, `"100/60/20"` of which 20 may come at once.
    private static func rate(_ value: SettingsValue) throws -> GatewayDeclaration.Rate {
        guard case .string(let text) = value.entry.value else { throw badRate }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map {
            Double($0).flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
        }
        guard 1...3 ~= parts.count, let requests = parts[0], !parts.contains(nil) else { throw badRate }
        return GatewayDeclaration.Rate(
            requests: requests, per: parts.count > 1 ? parts[1] ?? 1 : 1,
            burst: parts.count > 2 ? parts[2] : nil)
    }

    private static let badRate = OptionFault(
        "is a rate such as \"100/60\", requests in so many seconds; a third number is how many may come at once"
    )
}
