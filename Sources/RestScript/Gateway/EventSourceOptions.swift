import LuaRuntime
import Platform
import RestEngine

extension GatewayDeclaration {
    /// Where `EventSource` of a browser has its token.
    public struct EventSource: Sendable, Equatable {
        public var cookie: String?
        public var parameter: String?

        static let schema = ScriptSchema<EventSource>(
            "auth.event_source",
            [
                .text("cookie", "The name of a cookie that has the token.") { source, name in
                    source.cookie = try checked(name)
                },
                .text(
                    "parameter",
                    "The name of a parameter of the query that has the token. It is hidden everywhere, and the API doesn't get it."
                ) { source, name in
                    source.parameter = try checked(name)
                    SecretMask.hide(names: [name])
                },
            ])

        /// Other characters would have several spellings.
        private static func checked(_ name: String) throws(OptionFault) -> String {
            let isPlain = name.utf8.allSatisfy {
                (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
            guard isPlain, !name.isEmpty, name.utf8.count <= 64 else {
                throw OptionFault("is a name of at most 64 letters, digits, '-' and '_', such as \"token\"")
            }
            return name
        }
    }

    /// The option of `auth`.
    static let eventSource = ScriptOption<GatewayDeclaration>.table(
        "event_source", EventSource.schema, from: { EventSource() },
        "Lets streams of events show a token in a cookie or a parameter, for browsers' `EventSource`."
    ) { gateway, source in
        guard source.cookie != nil || source.parameter != nil else {
            throw LuaUsageError("option 'auth.event_source' names a 'cookie' or a 'parameter'")
        }
        gateway.eventSource = source
    }

    func checkEventSource() throws(LuaUsageError) {
        guard eventSource == nil || bearerToken != nil || !tokens.isEmpty || jwt != nil else {
            throw LuaUsageError("option 'auth.event_source' needs 'auth.bearer' or 'auth.tokens' beside it")
        }
    }
}
