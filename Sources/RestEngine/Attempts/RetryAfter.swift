/// When a server wants to be asked again (RFC 9110 10.2.3).
package enum RetryAfter: Equatable {
    /// Seconds from now, as many as the server said.
    case seconds(Double)
    /// A date that is over.
    case past
    case malformed

    /// - Parameter now: Unix seconds, for dates.
    package init(_ text: String, now: Double) {
        let value = text.utf8.drop(while: HTTPByte.isBlank)
        let digits = value.prefix(while: HTTPByte.isDigit)
        let rest = value[digits.endIndex...]
        if !digits.isEmpty, rest.allSatisfy(HTTPByte.isBlank) {
            // More digits than a number has are a very long time.
            self = .seconds(digits.count > 15 ? 1e15 : Double(String(Substring(digits))) ?? 1e15)
        } else if let date = HTTPDate.seconds(text, now: now) {
            self = date >= now ? .seconds(date - now) : .past
        } else {
            self = .malformed
        }
    }

    /// Seconds to wait, `cap` at most; nil for what is ignored.
    package func wait(cap: Double) -> Double? {
        if case .seconds(let seconds) = self { min(seconds, cap) } else { nil }
    }

    /// What is not done as the server says; nil when it is.
    func remark(cap: Double) -> String? {
        switch self {
        case .seconds(let seconds) where seconds > cap: "is more than \(cap) s, which is waited"
        case .seconds: nil
        case .past: "is over, and ignored"
        case .malformed: "is neither seconds nor a date, and ignored"
        }
    }
}
