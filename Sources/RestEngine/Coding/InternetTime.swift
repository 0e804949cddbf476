/// Times as internet protocols write them (RFC 3339): `2026-06-19T08:30:00Z`, with an offset or a fraction
/// where there is one.
public enum InternetTime {
    /// Unix seconds; nil for text that is no time. A space may stand for the `T` (RFC 3339 5.6), and a leap
    /// second is the first second of the next minute, as in Unix time.
    public static func seconds(_ text: String) -> Double? {
        var reader = Digits(Array(text.utf8)[...])
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2, 1...12),
            reader.skip("-"),
            let day = reader.number(2, 1...daysInMonth(month, year)), reader.skip("T", "t", " "),
            let hour = reader.number(2, 0...23), reader.skip(":"), let minute = reader.number(2, 0...59),
            reader.skip(":"), let second = reader.number(2, 0...60), let fraction = reader.fraction(),
            let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let whole = daysSince1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
        return Double(whole) + fraction
    }

    /// The text of a time in UTC, with milliseconds where there are any, or always; nil outside of the years
    /// 0000 to 9999.
    public static func text(_ seconds: Double, withMilliseconds isFixed: Bool = false) -> String? {
        let milliseconds = (seconds * 1000).rounded()
        guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else { return nil }
        let (days, rest) = Int(milliseconds).flooredDivision(by: 86_400_000)
        let (year, month, day) = date(daysSince1970: days)
        var text = "\(padded(year, 4))-\(padded(month))-\(padded(day))T"
        text += "\(padded(rest / 3_600_000)):\(padded(rest / 60_000 % 60)):\(padded(rest / 1000 % 60))"
        if isFixed || rest % 1000 > 0 { text += ".\(padded(rest % 1000, 3))" }
        return text + "Z"
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    // MARK: Calendar

    private static func daysInMonth(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Of the Gregorian calendar, in years that begin in March so that the leap day is the last, and eras of
    /// 400 years, which are all alike: 146,097 days.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (era, yearOfEra) = (month > 2 ? year : year - 1).flooredDivision(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = (monthFromMarch + 2) % 12 + 1
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }
}

/// Reads a time from the left.
private struct Digits {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func skip(_ choices: Unicode.Scalar...) -> Bool {
        guard let byte = bytes.first, choices.contains(where: { $0.value == byte }) else { return false }
        bytes.removeFirst()
        return true
    }

    private mutating func digit() -> Int? {
        guard let byte = bytes.first, 0x30...0x39 ~= byte else { return nil }
        bytes.removeFirst()
        return Int(byte) - 0x30
    }

    mutating func number(_ width: Int, _ range: ClosedRange<Int> = 0...9999) -> Int? {
        var number = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return range.contains(number) ? number : nil
    }

    /// 0 where there is none; nil for a point without digits. Digits beyond what a double holds are read
    /// over.
    mutating func fraction() -> Double? {
        guard skip(".", ",") else { return 0 }
        var number = 0.0
        var scale = 1.0
        guard let first = digit() else { return nil }
        var next: Int? = first
        while let digit = next {
            if scale < 1e15 {
                number = number * 10 + Double(digit)
                scale *= 10
            }
            next = self.digit()
        }
        return number / scale
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
        if skip("Z", "z") { return 0 }
        let sign = skip("+") ? 1 : -1
        guard sign == 1 || skip("-"), let hours = number(2, 0...23) else { return nil }
        _ = skip(":")
        guard let minutes = number(2, 0...59) else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}

extension Int {
    fileprivate func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
