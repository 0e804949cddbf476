/// A message in the stream of one host: one field, whose value is a name.
enum HostMessage: Equatable {
    /// A host has ended a lease for which this one waits.
    case leaseEnded(String)
    /// A host has loaded a resource that this one follows.
    case loaded(String)
    /// There is something for this host in a limit.
    case limitChanged(String)

    /// Nil for a message of a later version.
    init?(_ fields: RedisValue) {
        guard let words = fields.elements, words.count == 2, let name = words[1].text else { return nil }
        switch words[0].text {
        case "k": self = .leaseEnded(name)
        case "d": self = .loaded(name)
        case "l": self = .limitChanged(name)
        default: return nil
        }
    }
}
