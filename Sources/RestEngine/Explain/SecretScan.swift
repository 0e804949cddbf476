import Platform

/// Hides the values of fields with a secret's name in a text, in one pass over its bytes: of JSON, whole or
/// cut, also in strings of JSON and in lines of something else; of parameters of URLs; of forms.
///
/// All else stays to the byte. In JSON a value keeps its type: a string becomes `"***"`, a number `0`.
struct SecretScan {
    /// Where a pair `name=value` begins, other than behind `?` and `&`.
    enum Pairs {
        case inURLs
        /// A form: at its start, and a value goes on to the next `&`.
        case inForm
        /// Text for people: at the start of each word.
        case inWords
    }

    private let bytes: [UInt8]
    private let pairs: Pairs
    private let mask: SecretMask
    private var shown: [UInt8] = []
    private var copied = 0
    /// Whether a name is secret, of those that came.
    private var known: [[UInt8]: Bool] = [:]
    /// Bytes that were looked at.
    private(set) var steps = 0

    /// A longer one is no name.
    private static let longestName = 128
    /// Of quotes: of strings in strings in strings.
    private static let mostBackslashes = 7

    init(_ bytes: [UInt8], _ pairs: Pairs, hidingBy mask: SecretMask) {
        self.bytes = bytes
        self.pairs = pairs
        self.mask = mask
    }

    /// Nil when it has nothing to hide.
    mutating func masked() -> [UInt8]? {
        var quote: Quote?
        var place = pairs == .inURLs ? 0 : pair(at: 0)
        while place < bytes.count {
            steps += 1
            switch bytes[place] {
            case UInt8(ascii: "\""):
                let next = Quote(place: place, backslashes: backslashes(before: place))
                place =
                    quote.flatMap { value(behind: $0, next) }
                    ?? (pairs == .inWords ? pair(at: place + 1) : place + 1)
                quote = next
            case UInt8(ascii: "?"), UInt8(ascii: "&"): place = pair(at: place + 1)
            case UInt8(ascii: "\\") where bytes[place...].starts(with: Self.escapedAmpersand):
                place = pair(at: place + Self.escapedAmpersand.count)
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: ","),
                UInt8(ascii: ";"):
                place = pairs == .inWords ? pair(at: place + 1) : place + 1
            default: place += 1
            }
        }
        guard copied > 0 else { return nil }
        shown += bytes[copied...]
        return shown
    }

    private static let escapedAmpersand = Array("\\u0026".utf8)

    private mutating func hide(_ range: Range<Int>, _ text: String = SecretMask.text) {
        shown += bytes[copied..<range.lowerBound]
        shown += text.utf8
        copied = range.upperBound
    }

    private mutating func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        let name = Array(name)
        if let known = known[name] { return known }
        let isSecret = mask.hides(Self.plain(name))
        if known.count < 4096 { known[name] = isSecret }
        return isSecret
    }

    private static func plain(_ name: [UInt8]) -> String {
        let text = String(decoding: name, as: UTF8.self)
        if name.contains(UInt8(ascii: "\\")), let string = try? Tree(json: Array("\"\(text)\"".utf8)).string {
            return string
        }
        return name.contains(UInt8(ascii: "%")) ? PercentEncoding.decode(text) ?? text : text
    }

    // MARK: JSON

    private struct Quote {
        let place: Int
        /// Before it: 0, or 1 in a string, 3 in a string of a string.
        let backslashes: Int
    }

    private mutating func backslashes(before place: Int) -> Int {
        var first = place
        while first > 0, bytes[first - 1] == UInt8(ascii: "\\") { first -= 1 }
        steps += place - first
        return place - first
    }

    /// Hides the value that stands behind a name between two quotes; where to go on, nil when there is none.
    private mutating func value(behind open: Quote, _ close: Quote) -> Int? {
        let depth = open.backslashes
        let (first, end) = (open.place + 1, close.place - depth)
        guard depth == close.backslashes, depth <= Self.mostBackslashes, first < end,
            end - first <= Self.longestName
        else { return nil }
        var place = blanks(from: close.place + 1)
        guard place < bytes.count, bytes[place] == UInt8(ascii: ":"), isSecret(bytes[first..<end]) else {
            return nil
        }
        place = blanks(from: place + 1)
        let start = place + depth
        if start < bytes.count, bytes[start] == UInt8(ascii: "\""),
            bytes[place..<start].allSatisfy({ $0 == UInt8(ascii: "\\") })
        {
            let (end, next) = string(from: start + 1, depth)
            hide((start + 1)..<end)
            return next
        }
        let number = bytes[place...].prefix { Self.isOfNumber($0) }
        guard let digit = number.first, digit != UInt8(ascii: "e"), digit != UInt8(ascii: "E") else {
            return nil
        }
        steps += number.count
        hide(number.startIndex..<number.endIndex, "0")
        return number.endIndex
    }

    private mutating func blanks(from start: Int) -> Int {
        var place = start
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        steps += place - start
        return place
    }

    /// The end of a string's content, and the place behind its last quote. One that was cut ends with its
    /// line.
    private mutating func string(from start: Int, _ depth: Int) -> (end: Int, next: Int) {
        var place = start
        var run = 0
        while place < bytes.count, bytes[place] != 0x0A {
            steps += 1
            if bytes[place] == UInt8(ascii: "\\") {
                run += 1
            } else if bytes[place] == UInt8(ascii: "\""), run % (2 * (depth + 1)) == depth {
                return (place - depth, place + 1)
            } else {
                run = 0
            }
            place += 1
        }
        return (place, place)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    // MARK: URLs and forms

    /// Hides the value of a pair that begins here, if there is one; where to go on.
    private mutating func pair(at start: Int) -> Int {
        var place = start
        while place < bytes.count, place - start <= Self.longestName, Self.isOfName(bytes[place]) {
            place += 1
        }
        steps += place - start
        let name = start..<place
        // Lua and people write `name = "value"`.
        if pairs == .inWords, !name.isEmpty { place = blanks(from: place) }
        guard place < bytes.count, !name.isEmpty, bytes[place] == UInt8(ascii: "=") else { return start }
        let quote = pairs == .inWords ? blanks(from: place + 1) : place + 1
        if quote < bytes.count, bytes[quote] == UInt8(ascii: "\""), pairs == .inWords {
            guard isSecret(bytes[name]) else { return start }
            let (end, next) = string(from: quote + 1, 0)
            hide((quote + 1)..<end)
            return next
        }
        let value = place + 1
        let isCode = bytes[name].elementsEqual("code".utf8)
        guard place == name.upperBound, isCode || isSecret(bytes[name]) else { return start }
        var end = value
        while end < bytes.count, !endsValue(bytes[end]) { end += 1 }
        steps += end - start
        if isCode, !SecretMask.isCode(bytes[name], of: end - value) { return start }
        if end > value { hide(value..<end) }
        return end
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.~%$[]+*".utf8.contains(byte)
        }
    }

    private func endsValue(_ byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "&") { return true }
        if pairs == .inForm { return false }
        switch byte {
        case 0...0x20, UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "\\"):
            return true
        default: return false
        }
    }
}
