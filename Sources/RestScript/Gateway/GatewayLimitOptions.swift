import LuaRuntime
package import Platform

extension GatewayDeclaration.Limits {
    static let schema = ScriptSchema<GatewayDeclaration.Limits>(
        "limits",
        fields() + [
            .table("per_client", perClient, "Bounds one client, known by its token or else its address.")
        ])

    /// The limits of all clients, which `resthost.toml` has as well.
    package static func fields<Values: OptionValues>() -> [OptionField<Values, GatewayDeclaration.Limits>] {
        [
            .count(
                "connections", from: 1, to: 1_000_000, default: "10000",
                "Connections at the same time; fewer where the process may not have the descriptors for them."
            ) { $0.connections = $1 },
            .count(
                "header_bytes", from: 1024, to: 1 << 20, default: "16384",
                "Length of a request line and its header together."
            ) { $0.headerBytes = $1 }.taking(unit: "bytes"),
            .count(
                "target_bytes", from: 256, to: 1 << 20, default: "8192",
                "Length of a request's path and query."
            ) { $0.targetBytes = $1 }.taking(unit: "bytes"),
            .seconds(
                "header_timeout", .between(0.1, 86_400), default: "10",
                "Time from the first byte of a request to the end of its header, and for a handshake of TLS."
            ) { $0.headerTimeout = $1 },
            .seconds(
                "idle_timeout", .between(0.1, 86_400), default: "60",
                "Time after which a connection without a request is closed."
            ) { $0.idleTimeout = $1 },
            .bytes(
                "body", default: "\"16MiB\"",
                "Length of a request's body, which is held until it is whole; a longer one gets 413."
            ) { $0.bodyBytes = $1 },
            .bytes(
                "stream_body",
                "Length of a body that is longer than `body` and goes to the API as it comes; without it none does."
            ) { $0.streamBodyBytes = $1 },
        ]
    }

    /// The limits of one client, which `resthost.toml` has as well.
    package static func clientFields<Values: OptionValues>() -> [OptionField<
        Values, GatewayDeclaration.Limits
    >] {
        [
            .count(
                "in_flight", from: 1, to: 1_000_000,
                "Requests of one client in flight that wait for something; one more gets 429."
            ) { $0.requestsPerClient = $1 },
            .count(
                "streams", from: 1, to: 1_000_000,
                "Event streams of one client at the same time; without it a quarter of the connections."
            ) { $0.streamsPerClient = $1 },
        ]
    }

    private static let perClient = ScriptSchema<GatewayDeclaration.Limits>(
        "per_client",
        [
            .table(
                "rate", GatewayDeclaration.Rate.schema, from: { .init(requests: 0, per: 1) },
                "Requests of one client in some time; one more gets 429."
            ) { limits, rate in
                limits.perClient = try rate.checked
            }
        ] + clientFields())
}

extension GatewayDeclaration.Rate {
    static let schema = ScriptSchema<GatewayDeclaration.Rate>([
        .number("requests", "Requests in the time that `per` sets.") { $0.requests = $1 }
            .taking("Above 0").required(),
        .number("per", default: "1", "The time for `requests`.") { $0.per = $1 }
            .taking(unit: "seconds", "Above 0"),
        .number(
            "burst", "Requests that may come at once after a pause; without it as many as `requests`."
        ) { $0.burst = $1 }.taking("1 or more"),
    ])
}

extension GatewayDeclaration.Rate {
    /// Itself, if it is a rate.
    var checked: GatewayDeclaration.Rate {
        get throws(LuaUsageError) {
            guard requests > 0, per > 0, burst ?? 1 >= 1, requests.isFinite, per.isFinite else {
                throw LuaUsageError(
                    "a rate has 'requests' and 'per' (seconds) above 0, and a 'burst' of 1 or more")
            }
            return self
        }
    }
}
