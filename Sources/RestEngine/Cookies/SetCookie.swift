import Platform

/// A Set-Cookie field as it was sent (RFC 6265 5.2), before the check whether the cookie may be set.
struct SetCookie: Equatable {
    var name: String
    var value: String
    /// Without its leading dot, in lower case; nil for none.
    var domain: String?
    /// As it was sent, if it begins with a slash.
    var path: String?
    var isSecure = false
    var isHTTPOnly = false
    /// Seconds from now, at most ``mostSeconds``; it takes precedence over ``expires``.
    var maxAge: Double?
    /// Unix seconds.
    var expires: Double?

    /// Bytes of name and value; with more, the field is no cookie (RFC 6265 6.1).
    static let mostBytes = 4096
    /// Bytes of an attribute; a longer one is left out.
    private static let mostAttributeBytes = 1024
    /// 400 days: a later expiry is cut to this.
    static let mostSeconds = 34_560_000.0

    /// Nil for text that is no cookie: without a name or `=`, with control characters, or too large.
    init?(_ text: String) {
        guard text.utf8.count <= 16 << 10, text.utf8.allSatisfy(HTTPByte.isFieldValue) else { return nil }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard let equals = parts[0].firstIndex(of: "=") else { return nil }
        name = Self.trimmed(parts[0][..<equals])
        value = Self.trimmed(parts[0][parts[0].index(after: equals)...])
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= Self.mostBytes else { return nil }
        for part in parts.dropFirst() { read(part) }
    }

    private mutating func read(_ part: Substring) {
        let equals = part.firstIndex(of: "=")
        let value = equals.map { Self.trimmed(part[part.index(after: $0)...]) } ?? ""
        guard value.utf8.count <= Self.mostAttributeBytes else { return }
        switch Self.trimmed(part[..<(equals ?? part.endIndex)]).lowercased() {
        case "expires": if let date = CookieDate.seconds(value) { expires = date }
        case "max-age":
            let digits = value.utf8.drop { $0 == UInt8(ascii: "-") }
            let isNegative = value.utf8.count - digits.count == 1
            guard !digits.isEmpty, digits.allSatisfy(HTTPByte.isDigit),
                isNegative || digits.count == value.utf8.count
            else { return }
            // A number with more digits than a Double holds is more than 400 days.
            let seconds = digits.count > 15 ? Self.mostSeconds : Double(String(Substring(digits))) ?? 0
            maxAge = isNegative ? 0 : min(seconds, Self.mostSeconds)
        case "domain":
            let bare = value.hasPrefix(".") ? String(value.dropFirst()) : value
            domain = bare.isEmpty ? nil : bare.lowercased()
        case "path": path = value.hasPrefix("/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        default: break
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.utf8[...]
        while let first = text.first, HTTPByte.isBlank(first) { text.removeFirst() }
        while let last = text.last, HTTPByte.isBlank(last) { text.removeLast() }
        return String(Substring(text))
    }
}

/// Dates of cookies, whose parts may come in any order (RFC 6265 5.1.1).
enum CookieDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Unix seconds; nil for text that is no date.
    static func seconds(_ text: String) -> Double? {
        var time: (hour: Int, minute: Int, second: Int)?
        var (day, month, year): (Int?, Int?, Int?) = (nil, nil, nil)
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = readTime(token) {
                time = found
            } else if day == nil, let found = number(token, 1...2) {
                day = found
            } else if month == nil, let found = readMonth(token) {
                month = found
            } else if year == nil, let found = number(token, 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if 70...99 ~= year { year += 1900 } else if 0...69 ~= year { year += 2000 }
        guard year >= 1601, time.hour < 24, time.minute < 60, time.second < 60,
            1...CivilDay.length(ofMonth: month, in: Int64(year)) ~= day
        else { return nil }
        let midnight = CivilDay(year: Int64(year), month: month, day: day).number * 86_400
        return Double(midnight + Int64(time.hour * 3600 + time.minute * 60 + time.second))
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Reads a number of `width` digits, which other characters may follow.
    private static func number(_ token: Substring.UTF8View, _ width: ClosedRange<Int>) -> Int? {
        let digits = token.prefix(while: HTTPByte.isDigit)
        return width ~= digits.count ? Int(String(Substring(digits))) : nil
    }

    private static func readTime(_ token: Substring.UTF8View) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(HTTPByte.isDigit),
            parts[1].allSatisfy(HTTPByte.isDigit), let hour = number(parts[0], 1...2),
            let minute = number(parts[1], 1...2), let second = number(parts[2], 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func readMonth(_ token: Substring.UTF8View) -> Int? {
        let name = String(Substring(token.prefix(3))).lowercased()
        return months.firstIndex(of: name).map { $0 + 1 }
    }
}
