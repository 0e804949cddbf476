import Platform

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 5.6.7).
package enum HTTPDate {
    private static let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// For a time since 1970; earlier times give the start of 1970, times after the year 9999 its last
    /// second.
    package static func text(unixSeconds seconds: Int) -> String {
        let seconds = Int64(min(max(0, seconds), 253_402_300_799))
        let number = seconds.floor(86_400)
        let time = seconds - number * 86_400
        let day = CivilDay(number: number)
        return
            "\(dayNames[CivilDay.weekday(ofNumber: number)]), \(two(Int64(day.day))) \(monthNames[day.month - 1]) \(day.year) "
            + "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Times in the form of internet protocols (RFC 3339): `2026-06-19T08:30:00Z`, with an offset or a fraction
/// if there is one.
package enum InternetTime {
    /// The machine's time of day, in Unix seconds.
    package static var now: Double { ClockReading.timeOfDay }

    /// Unix seconds; nil for text that is no time. A space may replace the `T` (RFC 3339 5.6). A leap second
    /// is the first second of the next minute, as in Unix time.
    package static func seconds(_ text: String) -> Double? {
        var reader = Digits(Array(text.utf8)[...])
        guard let year = reader.number(4).map(Int64.init), reader.skip("-"),
            let month = reader.number(2, 1...12), reader.skip("-"),
            let day = reader.number(2, 1...CivilDay.length(ofMonth: month, in: year)),
            reader.skip("T", "t", " "),
            let hour = reader.number(2, 0...23), reader.skip(":"), let minute = reader.number(2, 0...59),
            reader.skip(":"), let second = reader.number(2, 0...60), let fraction = reader.fraction(),
            let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let midnight = CivilDay(year: year, month: month, day: day).number * 86_400
        return Double(midnight + Int64(hour * 3600 + minute * 60 + second - offset)) + fraction
    }

    /// The text of a time in UTC, with milliseconds if there are any, or always; nil outside of the years
    /// 0000 to 9999.
    package static func text(_ seconds: Double, withMilliseconds isFixed: Bool = false) -> String? {
        let milliseconds = (seconds * 1000).rounded()
        guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else { return nil }
        let number = Int64(milliseconds).floor(86_400_000)
        let rest = Int(Int64(milliseconds) - number * 86_400_000)
        let day = CivilDay(number: number)
        var text = "\(padded(Int(day.year), 4))-\(padded(day.month))-\(padded(day.day))T"
        text += "\(padded(rest / 3_600_000)):\(padded(rest / 60_000 % 60)):\(padded(rest / 1000 % 60))"
        if isFixed || rest % 1000 > 0 { text += ".\(padded(rest % 1000, 3))" }
        return text + "Z"
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

/// Reads a time from left to right.
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

    /// The fraction; 0 if there is none, nil for a point without digits. Digits beyond the precision of a
    /// double are skipped.
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
