import RestEngine

/// When a timer runs.
enum TimerRhythm {
    case once
    /// The timer runs again after so many seconds.
    case period(Double)
    case cron(CronTimes)
}

/// A schedule in a zone, and when it comes next.
struct CronTimes {
    let schedule: CronSchedule
    let zone: ZoneTable
    /// When it runs next, in Unix seconds.
    private(set) var due = 0.0
    /// The time of day at the last call of ``look(at:)``.
    private var seen = 0.0

    init(_ schedule: CronSchedule, _ zone: ZoneTable) {
        self.schedule = schedule
        self.zone = zone
    }

    /// True when the time has come. The next time is planned then, and also when the clock was set back.
    mutating func look(at now: Double) -> Bool {
        let isDue = now >= due
        if isDue || now < seen - 1 { plan(from: now) }
        seen = now
        return isDue
    }

    mutating func plan(from now: Double) {
        seen = now
        due = .infinity
        // A clock beyond this range is not a real one, so nothing is planned.
        guard abs(now) < 1e12, let next = schedule.next(after: Int64(now.rounded(.down)), in: zone) else {
            return
        }
        due = Double(next)
    }

    /// Seconds until the next look; nil when the time never comes. When the time of day may be set, the wait
    /// is a minute at most.
    func wait(from now: Double, mayJump: Bool) -> Double? {
        due.isFinite ? min(max(0, due - now), mayJump ? 60 : .infinity) : nil
    }
}
