import RestEngine

/// Wipes resources of a service for `/-/wipe`. There may be very many, with blocks that run for each and
/// observers who are told, so it does it in parts, between which others have their turn.
@EngineActor
final class ResourceWipe {
    /// Seconds of one part.
    private static let part = 0.001

    private let resources: ListedResources
    private let pattern: GlobPattern?
    /// Gets how many there were.
    private let completion: @EngineActor (Int) -> Void
    private let clock = SystemClock()
    private var next = 0
    private var count = 0

    /// - Parameter pattern: Nil for all.
    init(
        _ service: Service, _ pattern: GlobPattern?, _ completion: @escaping @EngineActor (Int) -> Void
    ) {
        resources = service.liveResourcesUnordered
        self.pattern = pattern
        self.completion = completion
    }

    /// Wipes one part, and plans the next.
    func wipe() {
        let end = clock.uptime + Self.part
        repeat {
            guard next < resources.count else { return completion(count) }
            if let resource = resources[next], isMeant(resource) {
                resource.wipe()
                count += 1
            }
            next += 1
        } while clock.uptime < end
        EngineLoop.shared.submit { self.wipe() }
    }

    private func isMeant(_ resource: Resource) -> Bool {
        guard let pattern else { return true }
        return resource.url.map(pattern.matches) ?? false
    }
}
