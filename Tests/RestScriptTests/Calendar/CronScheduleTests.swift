import LuaRuntime
import Platform
import TestSupport
import Testing

@testable import RestScript

struct CronScheduleTests {
    private static let berlin = ZoneRule("CET-1CEST,M3.5.0,M10.5.0/3").map(ZoneTable.init) ?? .utc
    private static let newYork = ZoneRule("EST5EDT,M3.2.0,M11.1.0").map(ZoneTable.init) ?? .utc
    /// A zone with half an hour of summer time, and an offset with minutes.
    private static let lordHowe = ZoneRule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0").map(ZoneTable.init) ?? .utc

    /// Unix seconds of a time in UTC.
    private func utc(_ text: String) -> Int64 {
        let parts = text.split { "- :".contains($0) }.compactMap { Int64($0) }
        let day = CivilDay(year: parts[0], month: Int(parts[1]), day: Int(parts[2])).number
        return day * 86_400 + parts[3] * 3600 + parts[4] * 60
    }

    private func text(_ time: Int64) -> String {
        let day = CivilDay(number: time.floor(86_400))
        let minute = (time - time.floor(86_400) * 86_400) / 60
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(day.year)-\(two(day.month))-\(two(day.day)) \(two(Int(minute / 60))):\(two(Int(minute % 60)))"
    }

    /// The next times after one, in UTC.
    private func times(
        _ schedule: String, after start: String, _ count: Int = 3, in zone: ZoneTable = .utc
    ) throws -> [String] {
        let schedule = try CronSchedule(schedule)
        var time = utc(start)
        return (0..<count).compactMap { _ in
            guard let next = schedule.next(after: time, in: zone) else { return nil }
            time = next
            return text(next)
        }
    }

    @Test(arguments: [
        ("*/20 * * * *", ["2026-11-22 10:20", "2026-11-22 10:40", "2026-11-22 11:00"]),
        ("5,10-30/10 10 * * *", ["2026-11-22 10:05", "2026-11-22 10:10", "2026-11-22 10:20"]),
        ("0 9 * * 1-5", ["2026-11-23 09:00", "2026-11-24 09:00", "2026-11-25 09:00"]),
        ("0 9 * * mon,Fri-sun", ["2026-11-23 09:00", "2026-11-27 09:00", "2026-11-28 09:00"]),
        ("0 0 * * 7", ["2026-11-29 00:00", "2026-12-06 00:00", "2026-12-13 00:00"]),
        ("0 0 * * 5-7", ["2026-11-27 00:00", "2026-11-28 00:00", "2026-11-29 00:00"]),
        ("0 0 31 * *", ["2026-12-31 00:00", "2027-01-31 00:00", "2027-03-31 00:00"]),
        ("0 0 29 2 *", ["2028-02-29 00:00", "2032-02-29 00:00", "2036-02-29 00:00"]),
        ("0 0 13 * FRI", ["2026-11-27 00:00", "2026-12-04 00:00", "2026-12-11 00:00"]),
        ("0 0 13 */2 *", ["2027-01-13 00:00", "2027-03-13 00:00", "2027-05-13 00:00"]),
        ("0 0 */2 * MON", ["2026-11-23 00:00", "2026-12-07 00:00", "2026-12-21 00:00"]),
        ("30 4 1 jan-mar *", ["2027-01-01 04:30", "2027-02-01 04:30", "2027-03-01 04:30"]),
        ("@hourly", ["2026-11-22 11:00", "2026-11-22 12:00", "2026-11-22 13:00"]),
        ("@DAILY", ["2026-11-23 00:00", "2026-11-24 00:00", "2026-11-25 00:00"]),
        ("@weekly", ["2026-11-29 00:00", "2026-12-06 00:00", "2026-12-13 00:00"]),
        ("@monthly", ["2026-12-01 00:00", "2027-01-01 00:00", "2027-02-01 00:00"]),
        ("@yearly", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]),
        ("0 0 29 2 */7", ["2032-02-29 00:00", "2060-02-29 00:00", "2088-02-29 00:00"]),
    ])
    func `five fields name the minutes`(schedule: String, expected: [String]) throws {
        // The day is a Sunday.
        #expect(try times(schedule, after: "2026-11-22 10:00") == expected)
    }

    @Test func `an hour that is skipped comes at once, and an hour that is doubled comes once`() throws {
        // Berlin: 2026-03-29 02:00 CET is 03:00 CEST, 2026-10-25 03:00 CEST is 02:00 CET.
        #expect(
            try times("30 2 * * *", after: "2026-03-27 12:00", in: Self.berlin)
                == ["2026-03-28 01:30", "2026-03-29 01:00", "2026-03-30 00:30"])
        #expect(
            try times("0,30 2,3 * * *", after: "2026-03-28 12:00", 3, in: Self.berlin)
                == ["2026-03-29 01:00", "2026-03-29 01:30", "2026-03-30 00:00"])
        #expect(
            try times("30 2 * * *", after: "2026-10-24 12:00", in: Self.berlin)
                == ["2026-10-25 00:30", "2026-10-26 01:30", "2026-10-27 01:30"])
        // The start is within the second of the two hours.
        #expect(
            try times("30 2 * * *", after: "2026-10-25 01:10", 1, in: Self.berlin) == ["2026-10-26 01:30"])
        #expect(try times("0 3 * * *", after: "2026-10-25 00:59", 1, in: Self.berlin) == ["2026-10-25 02:00"])
        #expect(
            try times("15 2 * * *", after: "2026-03-07 12:00", in: Self.newYork)
                == ["2026-03-08 07:00", "2026-03-09 06:15", "2026-03-10 06:15"])
        #expect(
            try times("15 2 * * *", after: "2026-10-03 12:00", 2, in: Self.lordHowe)
                == ["2026-10-03 15:30", "2026-10-04 15:15"])
    }

    @Test func `every so many minutes goes on through both`() throws {
        #expect(
            try times("*/30 * * * *", after: "2026-03-29 00:00", 4, in: Self.berlin)
                == ["2026-03-29 00:30", "2026-03-29 01:00", "2026-03-29 01:30", "2026-03-29 02:00"])
        #expect(
            try times("*/30 * * * *", after: "2026-10-25 00:00", 4, in: Self.berlin)
                == ["2026-10-25 00:30", "2026-10-25 01:00", "2026-10-25 01:30", "2026-10-25 02:00"])
        // The minute is fixed and the hour isn't: cron follows the wall clock.
        #expect(
            try times("10 * * * *", after: "2026-10-25 00:00", in: Self.berlin)
                == ["2026-10-25 00:10", "2026-10-25 01:10", "2026-10-25 02:10"])
        #expect(
            try times("*/10 2 * * *", after: "2026-03-29 00:55", 1, in: Self.berlin) == ["2026-03-30 00:00"])
    }

    @Test func `times come in order, at whole minutes that fit, in every zone`() throws {
        var generator = SeededRandom(seed: 5)
        let schedules = [
            "30 2 * * *", "*/7 * * * *", "0 */3 * * *", "59 23 L * *", "0,30 1-3 * 3,10 *", "@weekly",
        ]
        .compactMap { try? CronSchedule($0) }
        for zone in [Self.berlin, Self.newYork, Self.lordHowe, .utc] {
            for schedule in schedules {
                var time = utc("2026-01-01 00:00") + Int64(generator.int(below: 300)) * 86_400
                for _ in 0..<200 {
                    let next = try #require(schedule.next(after: time, in: zone))
                    let segment = zone.segment(at: next)
                    #expect(next > time)
                    #expect((next + segment.offset) % 60 == 0)
                    let minute = (next + segment.offset) / 60
                    let isMade = schedule.isFixed && next == segment.start
                    #expect(isMade || schedule.first(from: minute, through: minute) == minute)
                    // Any time before the next one gives the same next time.
                    let between = time + (next - time) * Int64(generator.int(below: 100)) / 100
                    #expect(between == next || schedule.next(after: between, in: zone) == next)
                    time = next
                }
            }
        }
    }

    @Test(arguments: [
        ("* * * *", "'* * * *' has 4 fields: a cron time has five, minute hour day month weekday"),
        ("", "'' has 0 fields: a cron time has five, minute hour day month weekday"),
        (
            "0 0 9 * * 1",
            "'0 0 9 * * 1' has 6 fields: a cron time has five, minute hour day month weekday; it has no seconds, which "
                + "rest.every(seconds, fn) has"
        ),
        ("60 * * * *", "'60' in the minute field is not 0 to 59"),
        ("* 24 * * *", "'24' in the hour field is not 0 to 23"),
        ("* * 0 * *", "'0' in the day field is not 1 to 31"),
        ("* * * 13 *", "'13' in the month field is not 1 to 12"),
        ("* * * * 8", "'8' in the weekday field is not 0 to 7"),
        ("* * * * MOM", "'MOM' in the weekday field can't be understood: did you mean 'MON'?"),
        ("* * * JUNE *", "'JUNE' in the month field can't be understood: did you mean 'JUN'?"),
        ("* 22-2 * * *", "'22-2' in the hour field goes backwards: write 22-23,0-2"),
        ("* * * * FRI-MON", "'FRI-MON' in the weekday field goes backwards: write 5-6,0-1"),
        ("5/10 * * * *", "'5/10' in the minute field has a step without a range: write 5-59/10"),
        ("*/0 * * * *", "'*/0' in the minute field has no step of 1 to 59"),
        ("*/x * * * *", "'*/x' in the minute field has no step of 1 to 59"),
        ("1,,2 * * * *", "'' in the minute field can't be understood"),
        ("-1 * * * *", "'-1' in the minute field can't be understood"),
        ("* * L * *", "'L' in the day field is of another kind of cron: look for the day in the function"),
        ("0 0 30 2 *", "'0 0 30 2 *' never comes: no month in it has such a day"),
        ("@dayly", "there is no '@dayly': did you mean '@daily'?"),
        ("@reboot", "'@reboot' is not a time: begin the work in the script, with rest.spawn"),
    ])
    func `what is no time says why`(text: String, message: String) {
        #expect(throws: CronSchedule.Fault(message: message)) {
            try CronSchedule(text, suggest: NearestName.advice)
        }
    }

    @Test func `any text is a schedule or is refused, and a schedule comes`() {
        var generator = SeededRandom(seed: 9)
        for _ in 0..<20_000 {
            let text = generator.text(of: "0123579*/-, JANSUNmon@", upTo: 16)
            guard let schedule = try? CronSchedule(text, suggest: NearestName.advice) else { continue }
            #expect(schedule.next(after: 1_000_000, in: Self.berlin) ?? 0 > 1_000_000, "\(text)")
        }
        let words = ["*", "*/2", "1", "5-9", "JAN", "sun", "0-59/7", "31"]
        for _ in 0..<5_000 {
            let text = (0..<5).map { _ in words[generator.int(below: words.count)] }.joined(separator: " ")
            guard let schedule = try? CronSchedule(text) else { continue }
            #expect(schedule.next(after: 1_000_000, in: Self.newYork) ?? 0 > 1_000_000, "\(text)")
        }
    }
}
