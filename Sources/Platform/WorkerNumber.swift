/// The place of a process among the workers of a host.
package struct WorkerNumber: Equatable, Sendable {
    /// From 1 to ``count``. A worker that ended gives its number to its successor.
    package var number: Int
    package var count: Int

    package init(number: Int, count: Int) { (self.number, self.count) = (number, count) }

    /// The jobs and timers of a script's main file run here.
    package var isFirst: Bool { number == 1 }

    /// This worker's part of a limit of the whole host. The parts of all workers add up to the limit, so some
    /// are 0 where it is smaller than the number of workers.
    package func part(of limit: Int) -> Int { limit / count + (number <= limit % count ? 1 : 0) }
}
