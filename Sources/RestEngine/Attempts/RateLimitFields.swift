/// An answer's fields about the server's own limit: `RateLimit` and `RateLimit-Policy` in the forms of the
/// IETF's drafts, and the `X-RateLimit-…` fields of APIs (rule 42.5). Values that can't be parsed are
/// ignored.
struct RateLimitFields: Equatable {
    /// Requests left until ``reset``.
    var left: Double?
    /// Seconds from now until the count is reset.
    var reset: Double?
    /// Requests in a second, the lowest of the server's policies.
    var rate: Double?

    /// Bytes of a field's value; the rest is not read.
    static let maxBytes = 2048
    /// Seconds; a longer time that a server sends is cut to this.
    static let maxReset = 86_400.0

    var isEmpty: Bool { left == nil && reset == nil && rate == nil }

    /// - Parameter now: Unix seconds, for APIs that send a point in time.
    init(_ headers: Headers, now: Double) {
        for field in headers.fields where Self.mayMatter(field.name) {
            guard field.value.utf8.count <= Self.maxBytes else { continue }
            read(field.name.lowercased(), field.value, now)
        }
        if left == nil { reset = nil }
        reset = reset.map { min($0, Self.maxReset) }
    }

    private static func mayMatter(_ name: String) -> Bool {
        switch name.utf8.first {
        case UInt8(ascii: "R"), UInt8(ascii: "r"), UInt8(ascii: "X"), UInt8(ascii: "x"): name.utf8.count >= 9
        default: false
        }
    }

    private mutating func read(_ name: String, _ value: String, _ now: Double) {
        switch name {
        case "ratelimit": readLimit(value)
        case "ratelimit-policy": readPolicy(value)
        case "ratelimit-remaining", "x-ratelimit-remaining", "x-rate-limit-remaining":
            if let number = Self.number(value) { keep(left: number, reset: nil) }
        case "ratelimit-reset", "x-ratelimit-reset", "x-rate-limit-reset":
            guard let number = Self.number(value) else { return }
            // Some APIs send a duration, others a point in time, in seconds or in milliseconds.
            let seconds = number > 1e11 ? number / 1000 - now : number > 1e8 ? number - now : number
            if seconds >= 0 { reset = max(reset ?? 0, seconds) }
        default: break
        }
    }

    /// Keeps the tightest of several counts: the fewest requests left and, among equals, the longest time.
    private mutating func keep(left: Double, reset: Double?) {
        if let old = self.left, old < left { return }
        if let reset { self.reset = self.left == left ? max(self.reset ?? 0, reset) : reset }
        self.left = left
    }

    /// `"default";r=50;t=30` (draft 8 and later), or `limit=100, remaining=50, reset=30` (drafts 6 and 7).
    private mutating func readLimit(_ value: String) {
        let items = RateLimitItem.list(value)
        var older: [String: Double] = [:]
        for item in items {
            if let left = item.parameters["r"] {
                keep(left: left, reset: item.parameters["t"])
            } else if let number = item.value {
                older[item.name] = number
            }
        }
        if let left = older["remaining"] { keep(left: left, reset: older["reset"]) }
    }

    /// `"default";q=100;w=10`, or `100;w=10` in older drafts.
    private mutating func readPolicy(_ value: String) {
        for item in RateLimitItem.list(value) {
            let quota = item.parameters["q"] ?? item.value ?? Self.number(item.name)
            guard let quota, let window = item.parameters["w"], quota > 0, window > 0 else { continue }
            rate = min(rate ?? .infinity, quota / window)
        }
    }

    /// A number that is no less than 0; of several in a list, the first.
    static func number(_ text: some StringProtocol) -> Double? {
        let first = Substring(text).utf8.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }
        var trimmed = first.drop(while: HTTPByte.isBlank)
        while let last = trimmed.last, HTTPByte.isBlank(last) { trimmed.removeLast() }
        guard !trimmed.isEmpty, trimmed.count <= 20,
            trimmed.allSatisfy({ HTTPByte.isDigit($0) || $0 == UInt8(ascii: ".") }),
            let number = Double(String(decoding: trimmed, as: UTF8.self)), number.isFinite
        else { return nil }
        return number
    }
}

/// One member of such a field: `"name";r=1;t=2` or `name=3`.
struct RateLimitItem: Equatable {
    var name: String
    var value: Double?
    var parameters: [String: Double] = [:]

    /// Members of a field; the rest is not read.
    static let most = 16

    static func list(_ text: String) -> [RateLimitItem] {
        split(text, UInt8(ascii: ",")).prefix(most).map { member in
            let parts = split(member, UInt8(ascii: ";")).prefix(most)
            let (name, value) = pair(parts.first ?? "")
            var item = RateLimitItem(name: name, value: value)
            for part in parts.dropFirst() {
                let (name, value) = pair(part)
                if let value { item.parameters[name] = value }
            }
            return item
        }
    }

    private static func pair(_ text: Substring) -> (String, Double?) {
        guard let sign = text.firstIndex(of: "=") else { return (trimmed(text), nil) }
        return (trimmed(text[..<sign]), RateLimitFields.number(text[text.index(after: sign)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        let dropped: Set<Character> = [" ", "\t", "\""]
        var text = text.drop { dropped.contains($0) }
        while let last = text.last, dropped.contains(last) { text.removeLast() }
        return text.lowercased()
    }

    /// Splits at separators outside of quotes.
    private static func split(_ text: some StringProtocol, _ separator: UInt8) -> [Substring] {
        var parts: [Substring] = []
        let text = Substring(text)
        var start = text.startIndex
        var isQuoted = false
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard byte == separator, !isQuoted else { continue }
            parts.append(text[start..<index])
            start = text.utf8.index(after: index)
        }
        parts.append(text[start...])
        return parts
    }
}
