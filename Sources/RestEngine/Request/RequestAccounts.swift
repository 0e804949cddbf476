/// The objects that account for the memory of a request, until it has ended.
@EngineActor
struct RequestAccounts {
    private struct Entry {
        let keeper: any RequestKeeper
        /// Keeps the account open while the request runs; see ``RequestKeeper/hold(_:)``.
        var hold: AnyObject?
    }

    private var entries: [Entry] = []

    nonisolated init() {}

    mutating func add(_ keeper: any RequestKeeper) {
        if !entries.contains(where: { $0.keeper === keeper }) { entries.append(Entry(keeper: keeper)) }
    }

    /// Keeps the accounts open, because a request that runs takes memory even when nobody holds it.
    mutating func hold(_ request: Request) {
        for index in entries.indices where entries[index].hold == nil {
            entries[index].hold = entries[index].keeper.hold(request)
        }
        notify(request)
    }

    /// Tells each keeper that the request holds more memory.
    func notify(_ request: Request) {
        for entry in entries { entry.keeper.requestGrew(request) }
    }
}
