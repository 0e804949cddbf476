import RestEngine

/// Wipes resources of a service for `/-/wipe`. There may be very many, with blocks that run for each and
/// observers that are notified. So it works in parts, and lets other work run in between.
@EngineActor
final class ResourceWipe {
    /// Seconds for one part.
    private static let part = 0.001

    private let resources: ListedResources
    private let service: Service
    private let partition: String?
    private let pattern: GlobPattern?
    /// Gets the number of wiped resources.
    private let completion: @EngineActor (Int) -> Void
    private let clock = SystemClock()
    private var next = 0
    private var count = 0

    /// - Parameters:
    ///   - partition: Nil for all.
    ///   - pattern: Nil for all resources.
    init(
        _ service: Service, partition: String?, _ pattern: GlobPattern?,
        _ completion: @escaping @EngineActor (Int) -> Void
    ) {
        (self.service, self.partition) = (service, partition)
        resources = service.liveResourcesUnordered
        self.pattern = pattern
        self.completion = completion
    }

    /// Wipes one part, and schedules the next.
    func wipe() {
        let end = clock.uptime + Self.part
        repeat {
            guard next < resources.count else {
                service.finishWipe(partition: partition, pattern)
                return completion(count)
            }
            if let resource = resources[next], isMeant(resource) {
                resource.wipeHere()
                count += 1
            }
            next += 1
        } while clock.uptime < end
        EngineLoop.shared.submit { self.wipe() }
    }

    private func isMeant(_ resource: Resource) -> Bool {
        guard partition == nil || resource.partition == partition else { return false }
        guard let pattern else { return true }
        return resource.url.map(pattern.matches) ?? false
    }
}
