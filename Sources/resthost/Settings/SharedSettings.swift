import Platform
import RestEngine
import RestScript
import SharedMemory

/// The table `[shared]` of `resthost.toml`.
struct SharedSettings {
    private var urls: [String]?
    private var authorityFile: String?
    private var prefix: String?
    private var timeout: Double?
    private var coordinates = true
    private var key: String?

    /// Nil without a server.
    var settings: SharedMemorySettings? {
        guard let urls else { return nil }
        var settings = SharedMemorySettings(
            urls: urls, prefix: prefix ?? SharedMemorySettings.standardPrefix,
            timeout: timeout ?? SharedMemorySettings.standardTimeout, coordinates: coordinates)
        settings.authorityFile = authorityFile
        settings.key = key
        return settings
    }

    static let fields: [OptionField<SettingsValue, SettingsFile>] = [
        OptionField<SettingsValue, SettingsFile>(
            "redis", type: "string | string[]",
            """
            The server: `redis://user:password@host:6379/0`, `rediss://…` with TLS, or `unix:/run/redis/redis.sock`; \
            or sentinels, `redis+sentinel://user:password@host:26379/name/0`; or a list, of which the primary is used.
            """
        ) { value, file, _ in
            let isList = if case .array = value.entry.value { true } else { false }
            let texts = isList ? try value.strings("redis", "redis") : try value.string("redis").map { [$0] }
            let urls = SharedMemorySettings(urls: texts ?? []).urls
            guard (1...SharedMemorySettings.mostURLs).contains(urls.count) else {
                throw OptionFault("has 1 to \(SharedMemorySettings.mostURLs) URLs")
            }
            for url in urls {
                do throws(RedisAddress.Fault) { _ = try RedisAddress(url) } catch {
                    throw OptionFault(sentence: "'redis' is not the URL of a server: \(error)")
                }
            }
            file.shared.urls = urls
        }.like("`rest.shared`"),
        .text(
            "ca-file", "A PEM file of certificates to trust in place of the system's, for `rediss://`."
        ) { file, path in file.shared.authorityFile = file.place(path) }.like("`rest.shared`"),
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
        .text(
            "key",
            "Encrypts the credentials that hosts share with `rest.refresh_on`."
        ) { file, key in
            guard SealingKey(key) != nil else {
                throw OptionFault(sentence: "'key' \(SealingKey.advice)")
            }
            file.shared.key = key
        }.taking("32 bytes or more, as of `openssl rand -base64 32`").like("`rest.shared`"),
    ]
}
