import LuaRuntime
import RestEngine

/// Jobs each of which waits for the next one's end, and the last for the first's: without help none would ever end.
@EngineActor
struct JobCycle {
    /// Who waits for the first comes second, and so on.
    let jobs: [ScriptJob]

    /// Nobody has so many jobs in a row that wait for each other; the search is paid by nobody.
    private static let maxVisits = 1000

    /// The cycle in which `job` is, if there is one.
    ///
    /// - Parameter first: only those in which this one waits for it.
    static func find(
        through job: ScriptJob, _ list: JobList, beginning first: ScriptJob? = nil
    ) -> JobCycle? {
        if first === job { return JobCycle(jobs: [job]) }
        var previous: [ObjectIdentifier: ScriptJob] = [:]
        var open = first.map { [($0, job)] } ?? dependents(of: job, list)
        while let (next, earlier) = open.popLast() {
            if next === job { return JobCycle(jobs: path(to: earlier, from: job, previous)) }
            guard previous[ObjectIdentifier(next)] == nil else { continue }
            previous[ObjectIdentifier(next)] = earlier
            guard previous.count < maxVisits else { return nil }
            open += dependents(of: next, list)
        }
        return nil
    }

    private static func dependents(of job: ScriptJob, _ list: JobList) -> [(ScriptJob, ScriptJob)] {
        job.waiters.compactMap { waiter in
            waiter.isAlive ? list.job(of: waiter).map { ($0, job) } : nil
        }
    }

    private static func path(
        to last: ScriptJob, from first: ScriptJob, _ previous: [ObjectIdentifier: ScriptJob]
    ) -> [ScriptJob] {
        var path = [last]
        while let job = path.last, job !== first, let earlier = previous[ObjectIdentifier(job)] {
            path.append(earlier)
        }
        return path.reversed()
    }

    /// Beginning with the job whose wait ends it.
    func message(from job: ScriptJob?) -> String {
        guard jobs.count > 1 else { return "\(jobs[0].name) awaits itself" }
        let order = Array(jobs.reversed())
        let start = order.firstIndex { $0 === job } ?? 0
        let names = (order[start...] + order[...start]).map(\.name)
        return "jobs await each other, so none would end: " + names.joined(separator: " awaits ")
    }
}
