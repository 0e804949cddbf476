import Platform

/// A zone's rule for all later years: the text of a TZ variable (POSIX 8.3, RFC 9636 3.3.1), such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Equatable {
    /// Seconds east of Greenwich.
    var standard: Int64
    var summer: Summer?

    struct Summer: Equatable {
        var offset: Int64
        var start: Change
        var end: Change
    }

    /// A day of each year, and the seconds since its midnight. Both are in the local time that ends with this
    /// change.
    struct Change: Equatable {
        var day: Day
        var time: Int64 = 7200
    }

    enum Day: Equatable {
        /// 1 to 365; 29 February isn't counted.
        case withoutLeapDay(Int)
        /// 0 to 365.
        case ofYear(Int)
        /// The week is 1 to 5, of which 5 is the last; Sunday is 0.
        case ofMonth(Int, week: Int, weekday: Int)
    }

    /// Nil when the text is not a rule.
    init?(_ text: String) {
        var reader = ZoneRuleReader(text)
        guard let rule = reader.rule() else { return nil }
        self = rule
    }

    init(standard: Int64, summer: Summer? = nil) {
        self.standard = standard
        self.summer = summer
    }

    /// The changes in the years around a time, in order: the time of each, and the offset after it.
    func changes(around time: Int64) -> [(time: Int64, offset: Int64)] {
        guard let summer else { return [] }
        let year = CivilDay(number: (time + standard).floor(86_400)).year
        let changes = (year - 1...year + 2).flatMap { year in
            [
                (time: summer.start.seconds(in: year) - standard, offset: summer.offset),
                (time: summer.end.seconds(in: year) - summer.offset, offset: standard),
            ]
        }.sorted { $0.time < $1.time }
        // When summer time begins at the moment at which it ends, it goes on. The last change leads out of
        // these years.
        return changes.dropLast().filter { change in
            change.offset == summer.offset
                || !changes.contains { $0.time == change.time && $0.offset == summer.offset }
        }
    }
}

extension ZoneRule.Change {
    /// Local seconds since 1970.
    func seconds(in year: Int64) -> Int64 { day.number(in: year) * 86_400 + time }
}

extension ZoneRule.Day {
    /// Days since 1970.
    func number(in year: Int64) -> Int64 {
        let first = CivilDay(year: year, month: 1, day: 1).number
        switch self {
        case .withoutLeapDay(let day):
            return first + Int64(day - 1) + (CivilDay.isLeap(year) && day >= 60 ? 1 : 0)
        case .ofYear(let day): return first + Int64(day)
        case .ofMonth(let month, let week, let weekday):
            let first = CivilDay(year: year, month: month, day: 1).number
            var day = (weekday - CivilDay.weekday(ofNumber: first) + 7) % 7 + 7 * (week - 1)
            if day >= CivilDay.length(ofMonth: month, in: year) { day -= 7 }
            return first + Int64(day)
        }
    }
}

private struct ZoneRuleReader {
    private var rest: ArraySlice<UInt8>

    /// Real rules are shorter than half of this limit.
    init(_ text: String) { rest = Array(text.utf8).prefix(256) }

    mutating func rule() -> ZoneRule? {
        guard name(), let standard = offset(limit: 24) else { return nil }
        var rule = ZoneRule(standard: -standard)
        guard !rest.isEmpty else { return rule }
        guard name() else { return nil }
        var summer = rule.standard + 3600
        if let first = rest.first, first != UInt8(ascii: ",") {
            guard let own = offset(limit: 24) else { return nil }
            summer = -own
        }
        // Without dates, the rules of the United States apply, as in glibc.
        if rest.isEmpty { rest = Array(",M3.2.0,M11.1.0".utf8)[...] }
        guard let start = change(), let end = change(), rest.isEmpty else { return nil }
        rule.summer = .init(offset: summer, start: start, end: end)
        return rule
    }

    private mutating func name() -> Bool {
        if take(UInt8(ascii: "<")) {
            let name = rest.prefix { $0 != UInt8(ascii: ">") }
            rest = rest[name.endIndex...]
            return take(UInt8(ascii: ">")) && !name.isEmpty
        }
        let name = rest.prefix { $0 | 0x20 &- 0x61 < 26 && $0 > 0x40 }
        rest = rest[name.endIndex...]
        return name.count >= 3
    }

    /// `[+-]h[h[h]][:mm[:ss]]` in seconds.
    private mutating func offset(limit: Int) -> Int64? {
        let isNegative = take(UInt8(ascii: "-"))
        if !isNegative { _ = take(UInt8(ascii: "+")) }
        guard let hours = number(upTo: limit) else { return nil }
        var seconds = hours * 3600
        for unit in [60, 1] where take(UInt8(ascii: ":")) {
            guard let part = number(upTo: 59) else { return nil }
            seconds += part * unit
        }
        return Int64(isNegative ? -seconds : seconds)
    }

    private mutating func change() -> ZoneRule.Change? {
        guard take(UInt8(ascii: ",")), let day = day() else { return nil }
        guard take(UInt8(ascii: "/")) else { return .init(day: day) }
        return offset(limit: 167).map { .init(day: day, time: $0) }
    }

    private mutating func day() -> ZoneRule.Day? {
        if take(UInt8(ascii: "J")) {
            guard let day = number(upTo: 365), day > 0 else { return nil }
            return .withoutLeapDay(day)
        }
        guard take(UInt8(ascii: "M")) else { return number(upTo: 365).map { .ofYear($0) } }
        guard let month = number(upTo: 12), month > 0, take(UInt8(ascii: ".")), let week = number(upTo: 5),
            week > 0,
            take(UInt8(ascii: ".")), let weekday = number(upTo: 6)
        else { return nil }
        return .ofMonth(month, week: week, weekday: weekday)
    }

    private mutating func number(upTo limit: Int) -> Int? {
        let digits = rest.prefix { $0 &- 0x30 < 10 }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest[digits.endIndex...]
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return value <= limit ? value : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }
}
