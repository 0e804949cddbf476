import Platform

extension HTTPDate {
    /// Unix seconds of a date in one of the three forms that a recipient must accept (RFC 9110 5.6.7); nil
    /// for other text. The name of the day is not checked against the date, because that would help no
    /// recipient.
    ///
    /// - Parameter now: Unix seconds, for years of two digits: they are in the past when they would be more
    ///   than 50 years ahead.
    package static func seconds(_ text: String, now: Double) -> Double? {
        guard text.utf8.count <= 40 else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        // Sun Nov  6 08:49:37 1994
        if words.count == 5, isDay(words[0]) {
            return seconds(day: words[2], month: words[1], year: number(words[4], 4), time: words[3])
        }
        guard words.last == "GMT", let first = words.first, first.last == ",", isDay(first.dropLast()) else {
            return nil
        }
        // Sun, 06 Nov 1994 08:49:37 GMT
        if words.count == 6 {
            return seconds(day: words[1], month: words[2], year: number(words[3], 4), time: words[4])
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        guard words.count == 4 else { return nil }
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let short = number(parts[2], 2) else { return nil }
        let thisYear = CivilDay(number: Int64(max(0, min(now, 253_402_300_799))).floor(86_400)).year
        var year = thisYear - thisYear % 100 + Int64(short)
        if year > thisYear + 50 { year -= 100 }
        return seconds(day: parts[0], month: parts[1], year: Int(year), time: words[2])
    }

    private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func isDay(_ word: Substring) -> Bool {
        days.contains(String(word.prefix(3)).lowercased())
    }

    private static func seconds(
        day: Substring, month: Substring, year: Int?, time: Substring
    ) -> Double? {
        guard let year, year >= 1, let month = months.firstIndex(of: month.lowercased()),
            let day = number(day, 1...2), 1...CivilDay.length(ofMonth: month + 1, in: Int64(year)) ~= day
        else { return nil }
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], 2), let minute = number(parts[1], 2),
            let second = number(parts[2], 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        let midnight = CivilDay(year: Int64(year), month: month + 1, day: day).number * 86_400
        return Double(midnight + Int64(hour * 3600 + minute * 60 + second))
    }

    private static func number(_ text: Substring, _ width: Int) -> Int? { number(text, width...width) }

    private static func number(_ text: Substring, _ width: ClosedRange<Int>) -> Int? {
        guard width ~= text.utf8.count, text.utf8.allSatisfy(HTTPByte.isDigit) else { return nil }
        return Int(text)
    }
}
