import Platform
import RestScript
import SharedMemory

/// The table `[shared]` of `resthost.toml`.
struct SharedSettings {
    private var url: String?
    private var prefix: String?
    private var timeout: Double?
    private var coordinates = true

    /// Nil without a server.
    var settings: SharedMemorySettings? {
        guard let url else { return nil }
        return SharedMemorySettings(
            url: url, prefix: prefix ?? SharedMemorySettings.standardPrefix,
            timeout: timeout ?? SharedMemorySettings.standardTimeout, coordinates: coordinates)
    }

    static let fields: [OptionField<SettingsValue, SettingsFile>] = [
        .text(
            "redis",
            "The server: `redis://user:password@host:6379/0`, `rediss://…` with TLS, or `unix:/run/redis/redis.sock`."
        ) { file, text in
            do throws(RedisAddress.Fault) { _ = try RedisAddress(text) } catch {
                throw OptionFault(sentence: "'redis' is not the URL of a server: \(error)")
            }
            file.shared.url = text
        }.like("`rest.shared`"),
        .text(
            "prefix", default: "\"resthost\"",
            "The first part of all its keys. Hosts with the same prefix share everything."
        ) { file, text in
            guard RedisKeys(prefix: text) != nil else { throw OptionFault(sentence: RedisKeys.advice) }
            file.shared.prefix = text
        }.taking("1 to 64 letters, digits, `.`, `_`, `-`").like("`rest.shared`"),
        .seconds(
            "timeout", .between(0.001, 5), default: "0.05",
            "The longest that an operation may take. Then the request goes on without it."
        ) { $0.shared.timeout = $1 }.like("`rest.shared`"),
        .flag(
            "coordinate", default: "true",
            "Whether hosts load resources for each other, and tell each other of invalidations."
        ) { $0.shared.coordinates = $1 }.like("`rest.shared`"),
    ]
}
