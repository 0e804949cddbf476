import RestEngine

/// Answers of one route that are kept for a while. They are the data of resources that are never loaded. So
/// they take a part of the content budget, and those that no client has asked for longest go first (L45).
@EngineActor
final class RouteAnswers {
    /// Gets nil if the answer is that of another client.
    typealias Waiter = @EngineActor (EngineClient.Outcome?) -> Void

    /// The time for which an answer is kept that has no time of its own; 0: it isn't kept.
    private let seconds: Double
    /// An answer was kept for a time of its own.
    private var keepsSome = false
    /// The service of the engine that was known at the first request.
    private var service: Service?
    /// Clients that wait for an answer that is being made, by its resource.
    private var waiters: [ObjectIdentifier: [Waiter]] = [:]
    /// The route has read who its client is. So from then on each request without a partition gets its own
    /// answer.
    private(set) var isPersonal = false

    nonisolated init(_ seconds: Double) { self.seconds = seconds }

    /// All clients that ask while an answer is made get that one.
    var isShared: Bool { seconds > 0 }

    /// The resource whose data is the answer to a target in a partition; nil if there is none.
    ///
    /// - Parameter keeping: An answer will be kept for a time of its own.
    func resource(
        for target: [UInt8], in partition: String?, _ engine: Engine, keeping: Bool = false
    ) -> Resource? {
        if isPersonal, partition == nil { return nil }
        if keeping { keepsSome = true }
        guard isShared || keepsSome else { return nil }
        let service = service ?? makeService(engine)
        // The URL has no host, so no request can be sent for it.
        let resource = service.resource(
            absoluteURL: "route:GET" + String(decoding: target, as: UTF8.self), partition: partition)
        return resource.url == nil ? nil : resource
    }

    private func makeService(_ engine: Engine) -> Service {
        let made = Service(engine: engine, name: "-", baseURL: nil, standardTransformers: [])
        made.configure { [seconds] in $0.expirationSeconds = seconds }
        service = made
        return made
    }

    /// Waits for the answer. If it isn't being made yet, the caller has to make it.
    func join(_ resource: Resource, _ waiter: @escaping Waiter) {
        waiters[ObjectIdentifier(resource), default: []].append(waiter)
    }

    func isMaking(_ resource: Resource) -> Bool { waiters[ObjectIdentifier(resource)] != nil }

    /// The answer is ready.
    func end(_ resource: Resource, with outcome: EngineClient.Outcome?) {
        for waiter in waiters.removeValue(forKey: ObjectIdentifier(resource)) ?? [] { waiter(outcome) }
    }

    /// The route has read who its client is, so nobody else may get the answer.
    func endPersonal(_ resource: Resource) {
        isPersonal = true
        end(resource, with: nil)
    }
}
