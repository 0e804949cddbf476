import RestEngine

/// Answers of one route that are kept for a while. They are the data of resources which nobody loads, so they
/// have their share of the content budget. The ones that waited longest for a request go first (L45).
@EngineActor
final class RouteAnswers {
    typealias Waiter = @EngineActor (EngineClient.Outcome) -> Void

    private let seconds: Double
    /// Of the engine that is known at the first request.
    private var service: Service?
    /// Clients that wait for an answer which is being made, by its resource's URL.
    private var waiters: [String: [Waiter]] = [:]

    nonisolated init(_ seconds: Double) { self.seconds = seconds }

    /// The resource whose data is the answer to a target; nil for a target that is no URL.
    func resource(for target: [UInt8], _ engine: Engine) -> Resource? {
        let service = service ?? makeService(engine)
        // It has no host: nothing can be sent for it.
        let resource = service.resource(absoluteURL: "route:GET" + String(decoding: target, as: UTF8.self))
        return resource.url == nil ? nil : resource
    }

    private func makeService(_ engine: Engine) -> Service {
        let made = Service(engine: engine, name: "-", baseURL: nil, standardTransformers: [])
        made.configure { [seconds] in $0.expirationSeconds = seconds }
        service = made
        return made
    }

    /// Waits for the answer, which somebody has to make if nobody does yet.
    func join(_ resource: Resource, _ waiter: @escaping Waiter) {
        waiters[resource.urlString, default: []].append(waiter)
    }

    func isMaking(_ resource: Resource) -> Bool { waiters[resource.urlString] != nil }

    /// It is made.
    func end(_ resource: Resource, with outcome: EngineClient.Outcome) {
        for waiter in waiters.removeValue(forKey: resource.urlString) ?? [] { waiter(outcome) }
    }
}
