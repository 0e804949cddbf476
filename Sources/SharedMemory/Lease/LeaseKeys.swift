internal import RestEngine

/// The keys of leases and invalidations. All of one resource have the same end.
struct LeaseKeys: Sendable {
    let keys: RedisKeys

    /// The newest number, and when its value was written.
    func flight(_ name: String) -> String { keys.key("flight", name) }
    /// The token of the holder.
    func lease(_ name: String) -> String { keys.key("lease", name) }
    /// The hosts that wait.
    func waiters(_ name: String) -> String { keys.key("waiters", name) }
    /// A value that one load hands over to the others.
    func value(_ name: String) -> String { keys.key("handover\(EntityCoding.version)", name) }
    /// The number of a service's invalidations without a list of resources.
    func generation(_ service: String) -> String { keys.key("generation", Self.hash([service])) }
    /// The messages for a host.
    func messages(_ host: String) -> String { messagesPrefix + host }
    var messagesPrefix: String { keys.key("messages", "") }
    var log: String { keys.key("news", "log") }
    var logHead: String { keys.key("news", "head") }

    /// The common end of the keys of a resource.
    static func name(_ service: String, _ partition: String?, _ url: String) -> String {
        hash([service]) + ":" + hash([partition.map { "p" + $0 } ?? "", url])
    }

    private static func hash(_ texts: [String]) -> String {
        let bytes = texts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
        return bytes.withUnsafeBytes { ContentHash($0).hex }
    }
}
