/// The time at which a server wants the next request (RFC 9110 10.2.3).
package enum RetryAfter: Equatable {
    /// Seconds from now, as sent by the server.
    case seconds(Double)
    /// A date in the past.
    case past
    case malformed

    /// - Parameter now: Unix seconds, for dates.
    package init(_ text: String, now: Double) {
        let value = text.utf8.drop(while: HTTPByte.isBlank)
        let digits = value.prefix(while: HTTPByte.isDigit)
        let rest = value[digits.endIndex...]
        if !digits.isEmpty, rest.allSatisfy(HTTPByte.isBlank) {
            // A number with more digits than a Double holds is a very long time.
            self = .seconds(digits.count > 15 ? 1e15 : Double(String(Substring(digits))) ?? 1e15)
        } else if let date = HTTPDate.seconds(text, now: now) {
            self = date >= now ? .seconds(date - now) : .past
        } else {
            self = .malformed
        }
    }

    /// Seconds to wait, at most `cap`; nil for a value that is ignored.
    package func wait(cap: Double) -> Double? {
        if case .seconds(let seconds) = self { min(seconds, cap) } else { nil }
    }

    /// Says where the client does not follow the server's wish; nil when it does.
    func remark(cap: Double) -> String? {
        switch self {
        case .seconds(let seconds) where seconds > cap: "is more than \(cap) s, so the wait is \(cap) s"
        case .seconds: nil
        case .past: "is in the past, and is ignored"
        case .malformed: "is neither seconds nor a date, and is ignored"
        }
    }
}
