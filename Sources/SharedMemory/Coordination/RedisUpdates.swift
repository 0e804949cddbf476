internal import RestEngine

/// Hands data that other hosts load to resources that are observed here.
///
/// The server knows the followers of each resource. A host that has loaded it sends them its name, and they
/// read the data.
@EngineActor
final class RedisUpdates {
    private final class Followed {
        weak var resource: Resource?
        /// The data that is being read.
        var work: LeasedLoad?
        /// Another message came meanwhile.
        var isBehind = false

        init(_ resource: Resource) { self.resource = resource }
    }

    private let engine: Engine
    private let client: RedisClient
    private let keys: CoordinationKeys
    private let host: String
    /// By the common end of the keys.
    private var followed: [String: Followed] = [:]
    private var timer: EngineTimer?
    /// See ``HostCoordination/awaitsChange(of:)``.
    var awaitsChange: @EngineActor (Resource) -> Bool = { _ in false }

    /// The server forgets a follower after this time.
    private static let seconds = 300
    /// Seconds for a command that no request waits for.
    private static let timeout = 0.25

    /// - Parameter host: The identity of this host.
    init(engine: Engine, client: RedisClient, _ keys: CoordinationKeys, host: String) {
        (self.engine, self.client, self.keys, self.host) = (engine, client, keys, host)
    }

    func follow(_ resource: Resource) {
        let name = CoordinationKeys.name(resource)
        if followed[name]?.resource === resource { return }
        followed[name] = Followed(resource)
        follow(name)
        if timer == nil { planRenewal() }
    }

    private func follow(_ name: String) {
        client.run(
            CoordinationScripts.follow, keys: [keys.followers(name)],
            [.text(host), .integer(Self.seconds)], timeout: Self.timeout
        ) { _ in
        }
    }

    /// Follows again what is still observed. The server may have lost its data.
    func renew() {
        timer?.cancel()
        timer = nil
        followed = followed.filter { $0.value.resource?.isObserved == true }
        guard !followed.isEmpty else { return }
        for name in followed.keys { follow(name) }
        planRenewal()
    }

    private func planRenewal() {
        timer = engine.scheduler.after(Double(Self.seconds) / 3) { [weak self] in self?.renew() }
    }

    func announce(_ resource: Resource) {
        let name = CoordinationKeys.name(resource)
        engine.beginOffloadedWork()
        client.run(
            CoordinationScripts.announce, keys: [keys.followers(name)],
            [.text(host), .text(keys.messagesPrefix), .text(name)], timeout: Self.timeout
        ) { [engine] _ in
            engine.endOffloadedWork()
        }
    }

    /// Another host has loaded the resource of this name.
    func receive(_ name: String) {
        guard let entry = followed[name] else { return }
        guard entry.work == nil else {
            entry.isBehind = true
            return
        }
        guard let resource = entry.resource, let update = resource.sharedUpdate() else { return }
        let work = LeasedLoad(
            update, SharedValues(client: client, keys: keys),
            awaitsChange: { [self] in awaitsChange(resource) })
        entry.work = work
        update.onEnd = { [self] _ in ended(work, name) }
        work.read { [self] isFresh in
            guard entry.work === work else { return }
            guard isFresh else { return update.abandon() }
            engine.log.write(.cache, "\(resource.urlString): another host has loaded it")
            work.use()
            ended(work, name)
        }
    }

    private func ended(_ work: LeasedLoad, _ name: String) {
        guard let entry = followed[name], entry.work === work else { return }
        entry.work = nil
        guard entry.isBehind else { return }
        entry.isBehind = false
        receive(name)
    }
}
