/// The cookies of partitions, in memory only. The partitions whose cookies were not used for longest lose
/// them first.
@EngineActor
struct PartitionCookies {
    private static let mostJars = 10_000
    private var jars = RecencyList<String, CookieJar>()
    /// The jar of everybody that they belong to: a reload may bring another.
    private weak var shared: CookieJar?

    mutating func jar(of partition: String, beside shared: CookieJar) -> CookieJar {
        if self.shared !== shared {
            jars = RecencyList()
            self.shared = shared
        }
        if let known = jars.use(partition) { return known }
        if jars.count >= Self.mostJars, let oldest = jars.oldest { jars.remove(oldest) }
        let made = CookieJar()
        jars.insert(made, at: partition)
        return made
    }

    mutating func remove(_ partition: String?) {
        if let partition { jars.remove(partition) } else { jars = RecencyList() }
    }
}
