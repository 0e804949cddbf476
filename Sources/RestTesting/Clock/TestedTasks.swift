import Dispatch
import RestEngine
import Synchronization

/// Runs the parts of a test's tasks that belong to no actor, one after the other, so that their order is
/// always the same and a clock can see whether all of them wait.
final class TestedTasks: TaskExecutor {
    private let queue = DispatchQueue(label: "tested tasks")
    private let jobs = Atomic(0)
    private let allJobs = Atomic(0)

    /// Whether no part runs or waits for its turn.
    var areWaiting: Bool { jobs.load(ordering: .sequentiallyConsistent) == 0 }

    /// The number of parts that ran or will run.
    var count: Int { allJobs.load(ordering: .relaxed) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.wrappingAdd(1, ordering: .sequentiallyConsistent)
        allJobs.wrappingAdd(1, ordering: .relaxed)
        queue.async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            guard jobs.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
            // The loop finds out that it is idle at the end of a pass.
            EngineLoop.shared.submit {}
        }
    }
}
