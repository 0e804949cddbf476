internal import Platform
internal import RestEngine

/// The keys of leases, updates, limits and invalidations. All of one resource have the same end.
struct CoordinationKeys: Sendable {
    let keys: RedisKeys

    /// The newest number, and when its value was written.
    func numbers(_ name: String) -> String { keys.key("numbers", name) }
    /// The token of the holder.
    func lease(_ name: String) -> String { keys.key("lease", name) }
    /// The hosts that wait.
    func waiters(_ name: String) -> String { keys.key("waiters", name) }
    /// The hosts that observe it, with the times until which they do.
    func followers(_ name: String) -> String { keys.key("followers", name) }
    /// A value that one load hands over to the others.
    func value(_ name: String) -> String { keys.key("value\(EntityCoding.version)", name) }
    /// The number of a service's invalidations without a list of resources.
    func generation(_ service: String) -> String { keys.key("generation", Self.hash(service)) }
    /// The hosts and tokens of a limit.
    func limit(_ name: String) -> String { keys.key("limit", Self.hash(name)) }
    /// The stream of names for which a host has waited.
    func messages(_ host: String) -> String { messagesPrefix + host }
    var messagesPrefix: String { keys.key("messages", "") }
    /// The stream of invalidations.
    var log: String { keys.key("invalidations", "log") }
    var logHead: String { keys.key("invalidations", "head") }

    /// The common end of the keys of a resource, for the place of one of its entries at any stage.
    static func name(_ place: CacheEntry.Place) -> String { hash(place.service) + ":" + hash(place.url) }

    static func name(_ resource: Resource) -> String {
        name(
            CacheEntry.Place(
                stage: "", user: "", service: resource.service.name, partition: resource.partition,
                url: resource.urlString))
    }

    /// The same for credentials.
    static func name(ofRefresh name: String) -> String { "refresh:" + hash(name) }

    private static func hash(_ text: String) -> String {
        Array(text.utf8).withUnsafeBytes { ContentHash($0).hex }
    }
}
