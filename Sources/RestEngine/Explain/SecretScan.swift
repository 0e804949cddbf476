/// Hides passwords of URLs and values with a secret name, in one pass over a text: in JSON that is whole, cut
/// or broken, also inside JSON strings and inside other lines; in parameters of URLs; in forms; in header
/// fields.
///
/// It searches for `=` and `:`, which are rare in most texts, and then looks at the text before them. All
/// other bytes stay the same. In JSON a value keeps its type: a string becomes `"***"`, a number `0`.
struct SecretScan {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let pairs: Pairs
    private var (shown, copied) = ([UInt8](), 0)
    /// Earlier bytes can't belong to a name.
    private var floor = 0
    private var decisions: SecretNames.Decisions
    /// The number of bytes examined.
    private(set) var steps = 0

    /// A longer text is no name.
    private static let longestName = 128
    /// Backslashes before a quote: enough for strings nested three deep.
    private static let mostBackslashes = 7

    /// - Parameter bytes: Borrowed; must stay valid while this is used.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ pairs: Pairs, hidingBy mask: SecretMask) {
        self.bytes = bytes
        self.pairs = pairs
        decisions = SecretNames.Decisions(mask: mask)
    }

    /// Nil when there is nothing to hide.
    mutating func masked() -> [UInt8]? {
        var (equals, colon) = (0, 0)
        var place = 0
        while place < bytes.count {
            if equals <= place { equals = bytes.place(of: UInt8(ascii: "="), from: place) }
            if colon <= place { colon = bytes.place(of: UInt8(ascii: ":"), from: place) }
            let mark = min(equals, colon)
            guard mark < bytes.count else { break }
            place = end(at: mark) ?? mark + 1
            floor = place
            // Each mark is handled once.
            if equals == mark { equals = 0 }
            if colon == mark { colon = 0 }
        }
        guard copied > 0 else { return nil }
        shown += bytes[copied...]
        return shown
    }

    /// Hides the value at a mark. Returns where to continue; nil when there is no value.
    private mutating func end(at mark: Int) -> Int? {
        if bytes[mark] == UInt8(ascii: ":"), let end = authority(behind: mark) { return end }
        if pairs == .nowhere { return nil }
        return bytes[mark] == UInt8(ascii: "=") ? pair(at: mark) : field(at: mark)
    }

    private mutating func hide(_ range: Range<Int>, _ text: String = SecretMask.text) {
        shown += bytes[copied..<range.lowerBound]
        shown += text.utf8
        copied = range.upperBound
    }

    // MARK: Names

    private struct Name {
        let range: Range<Int>
        /// The quote character, preceded by that number of backslashes: 1 in a string, 3 in a string inside a
        /// string. Nil for a name without quotes.
        var quote: UInt8?
        var backslashes = 0
    }

    /// The name before a mark, with or without quotes.
    private mutating func name(before mark: Int) -> Name? {
        var end = mark
        while end > floor, bytes[end - 1] <= 0x20 { end -= 1 }
        steps += mark - end
        // `["name"] = value`, a form of Lua.
        if end - 1 > floor, bytes[end - 1] == UInt8(ascii: "]"), SecretByte.isQuote(bytes[end - 2]) {
            end -= 1
        }
        guard end > floor else { return nil }
        if SecretByte.isQuote(bytes[end - 1]) { return quotedName(endingAt: end - 1) }
        var start = end
        while start > floor, end - start < Self.longestName, SecretByte.isOfName(bytes[start - 1]) {
            start -= 1
        }
        steps += end - start
        return start < end ? Name(range: start..<end) : nil
    }

    private mutating func quotedName(endingAt quote: Int) -> Name? {
        let backslashes = backslashes(before: quote)
        let end = quote - backslashes
        guard backslashes <= Self.mostBackslashes, end > floor else { return nil }
        var start = end
        while start > floor, end - start <= Self.longestName, bytes[start - 1] != bytes[quote] { start -= 1 }
        steps += end - start
        guard start > floor, start < end, bytes[start - 1] == bytes[quote],
            self.backslashes(before: start - 1) == backslashes
        else { return nil }
        return Name(range: start..<end, quote: bytes[quote], backslashes: backslashes)
    }

    private mutating func backslashes(before place: Int) -> Int {
        var first = place
        while first > floor, place - first <= Self.mostBackslashes, bytes[first - 1] == UInt8(ascii: "\\") {
            first -= 1
        }
        steps += place - first
        return place - first
    }

    private mutating func isSecret(_ name: Name) -> Bool {
        let range = name.range
        if isSecret(range) { return true }
        // `\nsig=` in a string: the letter may belong to the escape or to the name.
        return name.quote == nil && range.count > 1 && range.lowerBound > floor
            && bytes[range.lowerBound - 1] == UInt8(ascii: "\\")
            && isSecret((range.lowerBound + 1)..<range.upperBound)
    }

    private mutating func isSecret(_ range: Range<Int>) -> Bool { decisions.areSecret(bytes[range]) }

    private func isCredentialHeader(_ name: Name) -> Bool {
        SecretMask.headers.contains(String(decoding: bytes[name.range], as: UTF8.self).lowercased())
    }

    // MARK: Values after a colon

    /// The end of a URL's authority whose `://` begins here; its user and password are hidden.
    private mutating func authority(behind colon: Int) -> Int? {
        var start = colon + 1
        for _ in 0..<2 {
            // JSON may write a slash as `\/`.
            while start < bytes.count, start - colon < 2 * Self.mostBackslashes,
                bytes[start] == UInt8(ascii: "\\")
            { start += 1 }
            guard start < bytes.count, bytes[start] == UInt8(ascii: "/") else { return nil }
            start += 1
        }
        var end = start
        var at: Int?
        while end < bytes.count, !SecretByte.endsAuthority(bytes[end]) {
            if bytes[end] == UInt8(ascii: "@") { at = end }
            end += 1
        }
        steps += end - colon
        if let at { hide(start..<at) }
        return end
    }

    /// Hides the value after a name and a colon. Returns where to continue; nil when there is no value.
    private mutating func field(at colon: Int) -> Int? {
        guard let name = name(before: colon), isSecret(name) else { return nil }
        let place = blanks(from: colon + 1)
        if let next = string(at: place, of: name) { return next }
        guard let quote = name.quote else {
            // A header field; without a credential's name it may be a sentence.
            return pairs == .inWords && isCredentialHeader(name) ? credential(at: colon + 1, of: name) : nil
        }
        guard quote == UInt8(ascii: "\"") else { return nil }
        var end = place
        while end < bytes.count, !SecretByte.endsWord(bytes[end]) { end += 1 }
        steps += end - place
        let word = bytes[place..<end]
        if word.isEmpty || SecretByte.areLiteral(word) { return nil }
        hide(place..<end, word.allSatisfy(SecretByte.isOfNumber) ? "0" : SecretMask.text)
        return end
    }

    /// Hides a string in quotes.
    private mutating func string(at place: Int, of name: Name) -> Int? {
        var start = place
        while start < bytes.count, start - place <= Self.mostBackslashes, bytes[start] == UInt8(ascii: "\\") {
            start += 1
        }
        guard start < bytes.count, SecretByte.isQuote(bytes[start]) else { return nil }
        // A sentence may contain 'name': "value" with another meaning.
        if name.quote == UInt8(ascii: "'"), bytes[start] != UInt8(ascii: "'") { return nil }
        let (end, next) = string(from: start + 1, start - place, bytes[start])
        hide(credential(in: (start + 1)..<end, of: name))
        return next
    }

    /// The end of a string's content, and the index after its closing quote. A string that was cut ends with
    /// its line, or with the string that contains it.
    private mutating func string(from start: Int, _ depth: Int, _ quote: UInt8) -> (end: Int, next: Int) {
        var place = start
        var run = 0
        while place < bytes.count, bytes[place] != 0x0A {
            steps += 1
            if bytes[place] == UInt8(ascii: "\\") {
                run += 1
            } else if bytes[place] == quote, run % (2 * (depth + 1)) == depth {
                return (place - depth, place + 1)
            } else if bytes[place] == quote, run < depth {
                return (place - run, place - run)
            } else {
                run = 0
            }
            place += 1
        }
        return (place, place)
    }

    /// Hides the value of a credential header, to the end of its line.
    private mutating func credential(at place: Int, of name: Name) -> Int {
        var start = place
        while start < bytes.count, bytes[start] == UInt8(ascii: " ") || bytes[start] == 0x09 { start += 1 }
        var end = start
        while end < bytes.count, !SecretByte.endsHeader(bytes[end]) {
            end += 1
        }
        steps += end - start
        let range = credential(in: start..<end, of: name)
        if !range.isEmpty { hide(range) }
        return end
    }

    /// In `Authorization: Bearer value` the scheme is kept.
    private func credential(in range: Range<Int>, of name: Name) -> Range<Int> {
        guard let scheme = bytes[range].firstIndex(of: UInt8(ascii: " ")), scheme > range.lowerBound,
            isCredentialHeader(name),
            SecretMask.keepsScheme(String(decoding: bytes[name.range], as: UTF8.self))
        else { return range }
        return (scheme + 1)..<range.upperBound
    }

    private mutating func blanks(from start: Int) -> Int {
        var place = start
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        steps += place - start
        return place
    }

    // MARK: Values after an equals sign

    /// Hides the value of a pair. Returns where to continue; nil when there is no value.
    private mutating func pair(at equals: Int) -> Int? {
        guard let name = name(before: equals) else { return nil }
        if pairs == .inWords {
            // The form `name = "value"` of Lua and of people.
            let place = blanks(from: equals + 1)
            if place < bytes.count, SecretByte.isQuote(bytes[place]) || bytes[place] == UInt8(ascii: "\\"),
                isSecret(name), let next = string(at: place, of: name)
            {
                return next
            }
        }
        guard name.quote == nil, name.range.upperBound == equals, let range = parameter(name) else {
            return nil
        }
        let isCode = bytes[range].elementsEqual("code".utf8)
        if !isCode, !isSecret(Name(range: range)) { return nil }
        if pairs == .inWords, isCredentialHeader(name) { return credential(at: equals + 1, of: name) }
        var end = equals + 1
        while end < bytes.count, !endsValue(end) { end += 1 }
        steps += end - equals
        while pairs == .inWords, end > equals + 1, SecretByte.endsPart(bytes[end - 1]) { end -= 1 }
        if isCode, !SecretByte.areCode(bytes[(equals + 1)..<end]) { return nil }
        if end > equals + 1 { hide((equals + 1)..<end) }
        return end
    }

    /// The name of a parameter that may begin here, without the rest of an escaped `&` before it.
    private func parameter(_ name: Name) -> Range<Int>? {
        let range = name.range
        guard let before = range.lowerBound > 0 ? bytes[range.lowerBound - 1] : nil else {
            return pairs == .inForm || pairs == .inWords ? range : nil
        }
        // JSON may write `&` as `\u0026`, and HTML writes it as `&amp;`.
        if before == UInt8(ascii: "\\"), bytes[range].starts(with: Self.escapedAmpersand) {
            return (range.lowerBound + Self.escapedAmpersand.count)..<range.upperBound
        }
        if pairs == .inWords || before == UInt8(ascii: "?") || before == UInt8(ascii: "&") { return range }
        return before == UInt8(ascii: ";") && bytes[..<range.lowerBound].suffix(5).elementsEqual("&amp;".utf8)
            ? range : nil
    }

    private static let escapedAmpersand = Array("u0026".utf8)

    private func endsValue(_ place: Int) -> Bool {
        let byte = bytes[place]
        if byte == UInt8(ascii: "&") { return true }
        if pairs == .inForm { return false }
        if byte == UInt8(ascii: "#") { return true }
        if pairs == .inURL { return false }
        if byte == UInt8(ascii: "\\") {
            // Ends the value if it begins an escape in a string; otherwise it is part of the value.
            let rest = bytes[place...].prefix(Self.mostBackslashes + 4).drop { $0 == UInt8(ascii: "\\") }
            return rest.isEmpty || "\"'nrt".utf8.contains(rest[rest.startIndex])
                || rest.starts(with: "u00".utf8)
        }
        return byte <= 0x20 || "\"'<>".utf8.contains(byte)
    }
}
