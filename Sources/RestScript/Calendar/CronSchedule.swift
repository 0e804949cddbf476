import Platform

/// Times as cron has them (crontab(5)): five fields, of which each is a set of numbers.
struct CronSchedule: Equatable {
    /// Each field is a set: the bit of a number says that it is in it.
    var minutes: UInt64 = 0
    var hours: UInt64 = 0
    var days: UInt64 = 0
    var months: UInt64 = 0
    /// Sunday is 0.
    var weekdays: UInt64 = 0
    /// When day or weekday begins with a star, both must fit; otherwise one of them is enough.
    var needsBothDays = false
    /// It names minute and hour. Such a job runs at certain times of the day, and a change of the clocks
    /// neither skips nor doubles it.
    var isFixed = false

    /// The reason why a text is not a schedule.
    struct Fault: Error, Equatable {
        let message: String
    }

    static let shorthands = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    init(_ text: String, suggest: (String, [String]) -> String = { _, _ in "" }) throws(Fault) {
        let shown = "'\(text.prefix(100))'"
        var text = text
        if text.hasPrefix("@") {
            guard let known = Self.shorthands[text.lowercased()] else {
                if text.lowercased() == "@reboot" {
                    throw Fault(
                        message: "'@reboot' is not a time: begin the work in the script, with rest.spawn")
                }
                throw Fault(
                    message: "there is no \(shown)"
                        + suggest(text.lowercased(), Self.shorthands.keys.sorted()))
            }
            text = known
        }
        let fields = text.split { $0 == " " || $0 == "\t" }
        guard fields.count == 5 else {
            let reason =
                switch fields.count {
                case 1 where Double(text) != nil: "; seconds are a number without quotes"
                case 6: "; it has no seconds, which rest.every(seconds, fn) has"
                default: ""
                }
            throw Fault(
                message:
                    "\(shown) has \(fields.count) field\(fields.count == 1 ? "" : "s"): a cron time has five, minute hour day month weekday"
                    + reason)
        }
        minutes = try CronField.minute.set(fields[0], suggest)
        hours = try CronField.hour.set(fields[1], suggest)
        days = try CronField.day.set(fields[2], suggest)
        months = try CronField.month.set(fields[3], suggest)
        weekdays = try CronField.weekday.set(fields[4], suggest)
        needsBothDays = fields[2].hasPrefix("*") || fields[4].hasPrefix("*")
        isFixed = !fields[0].hasPrefix("*") && !fields[1].hasPrefix("*")
        let comes = (1...12).contains { month in
            months >> UInt64(month) & 1 == 1
                && (!needsBothDays
                    || (1...CivilDay.length(ofMonth: month, in: 2000)).contains {
                        days >> UInt64($0) & 1 == 1
                    })
        }
        guard comes else { throw Fault(message: "\(shown) never comes: no month in it has such a day") }
    }

    private func includes(_ day: CivilDay, _ number: Int64) -> Bool {
        let fitsDay = days >> UInt64(day.day) & 1 == 1
        let fitsWeekday = weekdays >> UInt64(CivilDay.weekday(ofNumber: number)) & 1 == 1
        return needsBothDays ? fitsDay && fitsWeekday : fitsDay || fitsWeekday
    }

    /// The first minute that fits, from `start` to `end`, in local minutes since 1970.
    func first(from start: Int64, through end: Int64) -> Int64? {
        var number = start.floor(1440)
        var minute = Int(start - number * 1440)
        while number * 1440 <= end {
            var day = CivilDay(number: number)
            if months >> UInt64(day.month) & 1 == 0 {
                number += Int64(CivilDay.length(ofMonth: day.month, in: day.year) - day.day + 1)
                minute = 0
                continue
            }
            if includes(day, number), let found = firstMinute(from: minute) {
                let result = number * 1440 + Int64(found)
                return result <= end ? result : nil
            }
            day.day += 1
            number += 1
            minute = 0
        }
        return nil
    }

    private func firstMinute(from start: Int) -> Int? {
        var minute = start
        while minute < 1440 {
            if hours >> UInt64(minute / 60) & 1 == 0 {
                minute = (minute / 60 + 1) * 60
            } else if minutes >> UInt64(minute % 60) & 1 == 0 {
                minute += 1
            } else {
                return minute
            }
        }
        return nil
    }
}

extension CronSchedule {
    /// How far into the future the search goes: 29 February on a certain weekday comes every 28 or 40 years.
    private static let horizon: Int64 = 100 * 366 * 86_400

    /// The first time after `time` that fits, Unix seconds; nil if there is none in a hundred years.
    ///
    /// Where clocks go forward, skipped times that name minute and hour all come at once. Where clocks go
    /// back, such times come once. All other times follow the local clock. Debian's cron(8) does the same.
    func next(after time: Int64, in zone: ZoneTable) -> Int64? {
        var segment = zone.segment(at: time)
        var earliest = (time + segment.offset).floor(60) + 1
        if isFixed, let start = segment.start {
            earliest = max(earliest, (start + segment.before).ceiling(60))
        }
        while true {
            let last = min(segment.end ?? .max, time + Self.horizon)
            if let minute = first(from: earliest, through: (last - 1 + segment.offset).floor(60)) {
                return minute * 60 - segment.offset
            }
            guard let end = segment.end, end < time + Self.horizon else { return nil }
            segment = zone.segment(at: end)
            earliest = (end + segment.offset).ceiling(60)
            guard isFixed else { continue }
            let reached = (end + segment.before).ceiling(60)
            if reached < earliest, first(from: reached, through: earliest - 1) != nil { return end }
            earliest = max(earliest, reached)
        }
    }
}
