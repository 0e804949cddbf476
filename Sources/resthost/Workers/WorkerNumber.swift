import RestEngine

/// The place of a process among the workers of a host.
struct WorkerNumber: Equatable, Sendable {
    /// From 1 to ``count``. A worker that ended gives its number to its successor.
    var number: Int
    var count: Int

    /// The jobs and timers of a script's main file run here.
    var isFirst: Bool { number == 1 }

    /// The part of the limits of the whole host that this worker has.
    var share: RequestLimits.Share { RequestLimits.Share(number: number, count: count) }
}
