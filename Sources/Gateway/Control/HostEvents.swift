import NIOCore
import RestEngine

/// The events of a host, for clients that follow `/-/events` (rules 66). The text of an event is made once
/// for all followers, and not at all without followers.
@EngineActor
final class HostEvents {
    /// See docs/reference/limits.md, L123.
    nonisolated static let mostFollowers = 32
    /// Of one client that is no admin: see docs/reference/limits.md, L250.
    nonisolated static let mostOfOneClient = mostFollowers / 4
    nonisolated static let log = "log"
    nonisolated static let failure = "failure"

    struct Follower: Sendable {
        /// The name by which limits know the client; nil for an admin.
        let client: String?
        /// Names of kinds of events, ``HostEvents/failure`` or ``HostEvents/log``.
        let kinds: Set<String>
        let accessPolicy: AccessPolicy
        /// The follower also gets events that belong to no service.
        let seesAll: Bool
        let directory: any GatewayDirectory
        let deliver: @Sendable (ByteBuffer) -> Void

        /// Whether it gets the entries of a log, which belong to no service.
        fileprivate func takes(_ kind: String) -> Bool { seesAll && kinds.contains(kind) }
    }

    private var followers: [Int: Follower] = [:]
    private var lastFollower = 0
    private var number = 0
    private var subscription: EventSubscription?
    /// The numbers with which this follows logs, by the kinds of their events.
    private var logFollowers: [String: Int] = [:]
    /// The number of this worker, and the function that ends the events of the others; nil while nobody
    /// follows, and in a host of one process.
    private var peers: (worker: Int, leave: @EngineActor () -> Void)?
    private weak var engine: Engine?

    nonisolated init() {}

    /// The kinds that a query names; all kinds if it has none. Throws for an unknown kind.
    nonisolated static func kinds(_ text: String?, isAdmin: Bool) throws(Problem) -> Set<String> {
        let known = EngineEvent.Kind.allCases.map(\.rawValue) + [failure] + (isAdmin ? [log] : [])
        guard let text else { return Set(known) }
        let kinds = text.split(separator: ",").map(String.init)
        if let wrong = kinds.first(where: { !known.contains($0) }) {
            throw Problem(
                400, "bad_parameter",
                "there is no kind of event '\(wrong)'; there are \(known.joined(separator: ", "))")
        }
        return Set(kinds)
    }

    /// - Returns: The follower's number, and the frames that it gets first.
    func add(
        _ follower: Follower, engine: Engine?, control: (any HostControl)?, peers: (any GatewayPeers)? = nil
    ) throws(Problem) -> (id: Int, opening: [ByteBuffer]) {
        guard followers.count < Self.mostFollowers else {
            throw Problem(
                503, "too_many_followers", "there are as many streams of events as the host allows",
                [("Retry-After", "5")])
        }
        if let client = follower.client,
            followers.values.count(where: { $0.client == client }) >= Self.mostOfOneClient
        {
            throw .tooMany("streams")
        }
        lastFollower += 1
        followers[lastFollower] = follower
        listen(to: engine)
        if let peers, self.peers == nil {
            self.peers = (peers.number, peers.follow { [weak self] event in self?.notify(event) })
        }
        var opening = [EventFrame.opening]
        for (kind, log) in Self.logs(of: control) where follower.takes(kind) {
            opening += log.recent.map { Self.frame(kind, number, $0.bytes, of: self.peers?.worker) }
            guard logFollowers[kind] == nil else { continue }
            logFollowers[kind] = log.follow { [weak self] entry in
                EngineLoop.shared.submit { self?.notify(entry, kind) }
            }
        }
        return (lastFollower, opening)
    }

    func remove(_ id: Int, control: (any HostControl)?) {
        guard followers.removeValue(forKey: id) != nil else { return }
        listen(to: subscription == nil ? nil : engine)
        if followers.isEmpty {
            peers?.leave()
            peers = nil
        }
        for (kind, log) in Self.logs(of: control) where !followers.values.contains(where: { $0.takes(kind) })
        {
            if let number = logFollowers.removeValue(forKey: kind) { log.leave(number) }
        }
    }

    /// The entries that are no events of the engine, by the kinds of their events.
    private static func logs(of control: (any HostControl)?) -> [(String, HostLog)] {
        [(log, control?.log), (failure, control?.failures)].compactMap { kind, log in log.map { (kind, $0) } }
    }

    /// Listens to the kinds that followers want, and to no others.
    private func listen(to engine: Engine?) {
        subscription?.cancel()
        subscription = nil
        self.engine = engine
        let kinds = EngineEvent.Kind.allCases.filter { kind in
            followers.values.contains { $0.kinds.contains(kind.rawValue) }
        }
        guard let engine, !kinds.isEmpty else { return }
        subscription = engine.onEvent(Set(kinds)) { [weak self] event in self?.notify(event) }
    }

    private func notify(_ event: EngineEvent) {
        number += 1
        var made: ByteBuffer?
        for follower in followers.values
        where follower.kinds.contains(event.kind.rawValue) && Self.isShown(event, to: follower) {
            let frame =
                made
                ?? Self.frame(
                    event.kind.rawValue, number, MaskedText(json: event.followed).bytes, of: peers?.worker)
            made = frame
            follower.deliver(frame)
        }
    }

    private func notify(_ entry: MaskedText, _ kind: String) {
        number += 1
        let frame = Self.frame(kind, number, entry.bytes, of: peers?.worker)
        for follower in followers.values where follower.takes(kind) { follower.deliver(frame) }
    }

    /// An event of another worker, whose secrets are masked already.
    private func notify(_ event: PeerEvent) {
        number += 1
        let isOfLog = [Self.log, Self.failure].contains(event.kind)
        let frame = Self.frame(event.kind, number, event.data, of: event.worker)
        var known: Tree?
        for follower in followers.values where follower.kinds.contains(event.kind) {
            if !follower.seesAll {
                guard !isOfLog else { continue }
                let tree = known ?? (try? Tree(json: event.data)) ?? [:]
                known = tree
                guard Self.isShown(tree["service"]?.string, tree["url"]?.string, to: follower) else {
                    continue
                }
            }
            follower.deliver(frame)
        }
    }

    private static func isShown(_ event: EngineEvent, to follower: Follower) -> Bool {
        follower.seesAll || isShown(event.service, event.url, to: follower)
    }

    private static func isShown(_ service: String?, _ url: String?, to follower: Follower) -> Bool {
        guard let service, follower.accessPolicy.isExposed(service: service) else { return false }
        // A redirect outside of the service's base URL is shown to the host's operators only.
        guard let url = url.flatMap(URLText.init),
            let base = follower.directory.service(named: service)?.baseURL
        else { return false }
        return follower.accessPolicy.isExposed(url, service: service, base: base)
    }

    /// - Parameter worker: Becomes the first member of the object, unless it is nil.
    private static func frame(
        _ kind: String, _ number: Int, _ json: [UInt8], of worker: Int?
    ) -> ByteBuffer {
        guard let worker, json.first == UInt8(ascii: "{"), json.count > 2 else {
            return EventFrame.text(kind, id: "\(number)", data: json)
        }
        let data = Array("{\"worker\":\(worker),".utf8) + json.dropFirst()
        return EventFrame.text(kind, id: "\(number)", data: data)
    }

    /// The frame that replaces events that were dropped.
    nonisolated static func dropped(_ count: Int) -> ByteBuffer {
        EventFrame.text("dropped", id: "", data: Array("{\"count\":\(count)}".utf8))
    }
}

extension EngineEvent {
    /// The event for followers: the fields that scripts see, and when the message was sent and how long its
    /// phases took.
    var followed: Tree {
        guard case .attempt(let attempt) = detail else { return tree }
        var pairs = tree.pairs.map { ($0.key, $0.value) } + [("began", Tree(attempt.began))]
        if case .success(let response) = attempt.result {
            let phases = MessagePhases.of(response.timings).map { ($0, Tree($1)) }
            pairs.append(("phases", Tree(pairs: phases)))
        }
        return Tree(pairs: pairs)
    }
}
