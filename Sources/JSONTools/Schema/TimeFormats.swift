/// Dates and times (RFC 3339).
enum TimeFormats {
    typealias Bytes = Substring.UTF8View

    static func isDateTime(_ text: String) -> Bool {
        let bytes = text.utf8[...]
        guard bytes.count > 11 else { return false }
        let mark = bytes[bytes.index(bytes.startIndex, offsetBy: 10)]
        return isDate(bytes.prefix(10)) && mark | 0x20 == UInt8(ascii: "t") && isTime(bytes.dropFirst(11))
    }

    static func isDate(_ text: Bytes) -> Bool {
        let bytes = Array(text)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]),
            (1...12).contains(month), day >= 1
        else { return false }
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return day <= days[month - 1]
    }

    /// With a zone. The second 60 is only allowed at the end of a day in UTC.
    static func isTime(_ text: Bytes) -> Bool {
        let bytes = Array(text)
        guard bytes.count >= 9, bytes[2] == UInt8(ascii: ":"), bytes[5] == UInt8(ascii: ":"),
            let hour = number(bytes[0..<2]), let minute = number(bytes[3..<5]),
            let second = number(bytes[6..<8]),
            hour < 24, minute < 60, second <= 60
        else { return false }
        var rest = bytes[8...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { $0.isDigit }
            guard !digits.isEmpty else { return false }
            rest = rest.dropFirst(digits.count + 1)
        }
        guard let zone = zone(rest) else { return false }
        return second < 60 || (hour * 60 + minute - zone + 1440) % 1440 == 1439
    }

    /// The minutes by which local time is ahead.
    private static func zone(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let sign = bytes.first else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return bytes.count == 1 ? 0 : nil }
        let rest = Array(bytes.dropFirst())
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), rest.count == 5,
            rest[2] == UInt8(ascii: ":"),
            let hours = number(rest[0..<2]), let minutes = number(rest[3..<5]), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (sign == UInt8(ascii: "+") ? 1 : -1)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy(\.isDigit) ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }

    /// `P3DT4H`: units in order, none left out between two (RFC 3339, appendix A).
    static func isDuration(_ text: String) -> Bool {
        var bytes = text.utf8[...]
        guard bytes.popFirst() == UInt8(ascii: "P"), !bytes.isEmpty else { return false }
        let parts = bytes.split(separator: UInt8(ascii: "T"), omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return false }
        guard let date = units(parts[0]), !date.isEmpty || parts.count == 2 else { return false }
        if date == "W" { return parts.count == 1 }
        guard date.isEmpty || "YMD".contains(date) else { return false }
        guard parts.count == 2 else { return true }
        guard let time = units(parts[1]) else { return false }
        return !time.isEmpty && "HMS".contains(time)
    }

    /// The letters behind numbers; nil for something else.
    private static func units(_ bytes: Bytes) -> String? {
        var units = ""
        var rest = bytes
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isDigit }
            rest = rest.dropFirst(digits.count)
            guard !digits.isEmpty, let unit = rest.popFirst(), unit.isLetter else { return nil }
            units += String(decoding: [unit], as: UTF8.self)
        }
        return units
    }
}
