/// A part of a service's resources with data, requests and cookies of its own, such as those of one user.
package enum Partition {
    /// Bytes of a name.
    package static let mostBytes = 256
    /// Names with this prefix stand for the credentials of a client, and only the gateway makes them.
    package static let credentialsPrefix = "forwarded:"
    /// Names with this prefix stand for the headers and functions of calls; see ``ResourceAdditions``.
    static let callPrefix = "call:"

    /// The reason why a text can't be the name of a partition; nil if it can.
    package static func validationError(to name: String) -> String? {
        if name.isEmpty { return "the name of a partition is not empty" }
        if name.utf8.count > mostBytes { return "the name of a partition has \(mostBytes) bytes at most" }
        if name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            return "the name of a partition has no control characters"
        }
        return nil
    }

    /// Whether the partition belongs to the credentials of a client. They are known in this process alone, so
    /// nothing of it is kept beyond.
    package static func isOfCredentials(_ name: String?) -> Bool {
        name?.hasPrefix(credentialsPrefix) ?? false
    }
}

extension Resource {
    /// This resource; in the function of a computed resource of a partition, the one of that partition at the
    /// same URL (77.6).
    var inScope: Resource {
        guard partition == nil, let url, let own = core.partitionInScope(nil) else { return self }
        return core.neighbour(at: url, own)
    }

    /// The cookies for its requests; nil if none are kept.
    var cookies: CookieJar? {
        guard let shared = core.cookies, let clientPartition else { return core.cookies }
        return core.partitionCookies.jar(of: clientPartition, beside: shared)
    }
}
