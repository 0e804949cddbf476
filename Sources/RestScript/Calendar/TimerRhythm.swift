import RestEngine

/// When a timer runs.
enum TimerRhythm {
    case once
    /// Again after so many seconds.
    case period(Double)
    case cron(CronTimes)
}

/// A schedule in a zone, and when it comes next.
struct CronTimes {
    let schedule: CronSchedule
    let zone: ZoneTable
    /// When it runs next, in Unix seconds.
    private(set) var due = 0.0
    /// The time of day at the last look.
    private var seen = 0.0

    init(_ schedule: CronSchedule, _ zone: ZoneTable) {
        self.schedule = schedule
        self.zone = zone
    }

    /// Whether it is time; if so, or if somebody has set the clock back, the next time is another.
    mutating func look(at now: Double) -> Bool {
        let isDue = now >= due
        if isDue || now < seen - 1 { plan(from: now) }
        seen = now
        return isDue
    }

    mutating func plan(from now: Double) {
        seen = now
        due = .infinity
        // A clock beyond is nobody's.
        guard abs(now) < 1e12, let next = schedule.next(after: Int64(now.rounded(.down)), in: zone) else {
            return
        }
        due = Double(next)
    }

    /// Seconds until the next look; nil when it never comes. A time of day that somebody may set is looked at
    /// each minute.
    func wait(from now: Double, mayJump: Bool) -> Double? {
        due.isFinite ? min(max(0, due - now), mayJump ? 60 : .infinity) : nil
    }
}
