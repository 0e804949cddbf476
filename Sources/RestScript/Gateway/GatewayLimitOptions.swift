import LuaRuntime
import Platform

extension GatewayDeclaration.Limits {
    static let schema = ScriptSchema<GatewayDeclaration.Limits>(
        "limits",
        [
            .count("connections", from: 1, to: 1_000_000, default: "10000", "At once.") {
                $0.connections = $1
            },
            .count(
                "header_bytes", from: 1024, to: 1 << 20, default: "16384",
                "A request line and its header together."
            ) { $0.headerBytes = $1 },
            .count(
                "target_bytes", from: 256, to: 1 << 20, default: "8192", "A request's path and query."
            ) { $0.targetBytes = $1 },
            .seconds(
                "header_timeout", .between(0.1, 86_400), default: "10", "For the header of a request to come."
            ) { $0.headerTimeout = $1 },
            .seconds(
                "idle_timeout", .between(0.1, 86_400), default: "60",
                "After which a connection without a request is closed."
            ) { $0.idleTimeout = $1 },
            .bytes("body", default: "\"16MiB\"", "A request's body, which is held until it is whole.") {
                $0.bodyBytes = $1
            },
            .bytes("stream_body", "A longer one, which goes to the API as it comes.") {
                $0.streamBodyBytes = $1
            },
            .table("per_client", perClient, "What one client, by its token or else its address, may use."),
        ])

    private static let perClient = ScriptSchema<GatewayDeclaration.Limits>(
        "per_client",
        [
            .table(
                "rate", GatewayDeclaration.Rate.schema, from: { .init(requests: 0, per: 1) },
                "How often it may ask; beyond it the answer is 429."
            ) { limits, rate in
                guard rate.requests > 0, rate.per > 0, rate.burst ?? 1 >= 1, rate.requests.isFinite,
                    rate.per.isFinite
                else {
                    throw LuaUsageError(
                        "a rate has 'requests' and 'per' (seconds) above 0, and a 'burst' of 1 or more")
                }
                limits.perClient = rate
            },
            .count("in_flight", from: 1, to: 1_000_000, "Requests under way that wait for something.") {
                $0.requestsPerClient = $1
            },
            .count("streams", from: 1, to: 1_000_000, "Streams of events.") { $0.streamsPerClient = $1 },
        ])
}

extension GatewayDeclaration.Rate {
    static let schema = ScriptSchema<GatewayDeclaration.Rate>([
        .number("requests", "So many in the time that `per` says.") { $0.requests = $1 }.required(),
        .number("per", default: "1", "That time, in seconds.") { $0.per = $1 },
        .number("burst", "So many may come at once; without it as many as `requests`.") { $0.burst = $1 },
    ])
}
