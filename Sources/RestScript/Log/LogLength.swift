import RestEngine

/// The part of a text that one entry of the log shows. A script may log an answer of 100 MB, and a client may
/// send one, so each entry has a limit, and the work for it has one too.
public struct LogLength: Sendable {
    /// Bytes of an entry's text and fields together. See docs/reference/limits.md, L270.
    static let mostBytes = 64 << 10
    /// Bytes of fields that are read from a table, of which those first in the alphabet are shown.
    /// See docs/reference/limits.md, L282.
    static let mostReadBytes = 1 << 20
    /// Fields of an entry. See docs/reference/limits.md, L271.
    static let mostFields = 256
    /// Bytes behind what is shown in which the mask looks for the end of a secret. It knows a known one by
    /// its first 64.
    private static let margin = 8 << 10
    /// Bytes of a text that are looked at, of which a character at the end may be lost.
    static let mostLookedBytes = mostBytes + margin + 4

    private var left = mostBytes

    public init() {}

    /// A text with its secrets masked, and cut where the entry is full, with the length that it had.
    public mutating func shown(_ text: String) -> String { shown(LoggedText(text)) }

    mutating func shown(_ given: LoggedText) -> String {
        let (text, length) = (given.text, given.length)
        guard left > 0 || length == 0 else { return "… (cut: \(length) bytes in all)" }
        let looked = left + Self.mostLookedBytes - Self.mostBytes
        let masked = SecretMask.standard.line(
            text.utf8.count > looked ? String(Self.prefix(text, looked)) : text)
        // The mask doesn't see a secret that the first cut divides, so nothing near that cut is shown.
        let certain = masked.utf8.count - (length > looked ? Self.margin : 0)
        let most = min(left, max(certain, 0))
        guard masked.utf8.count > most else {
            left -= masked.utf8.count
            return masked
        }
        left -= most
        return Self.prefix(masked, most) + "… (cut: \(length) bytes in all)"
    }

    /// - Parameter more: fields that were left out already.
    mutating func shown(
        _ fields: [(name: String, value: LoggedText)], more: Int
    ) -> [(name: String, value: String)] {
        let kept = fields.prefix(Self.mostFields).map { field in
            let isSecret = SecretMask.standard.hides(field.name)
            return (shown(field.name), isSecret ? SecretMask.text : shown(field.value))
        }
        let left = fields.count - kept.count + more
        return left > 0 ? kept + [("…", "\(left) more fields")] : kept
    }

    /// At most this many bytes, and whole characters of Unicode.
    private static func prefix(_ text: String, _ most: Int) -> Substring {
        guard text.utf8.count > most else { return text[...] }
        var end = text.utf8.index(text.startIndex, offsetBy: most)
        while end > text.startIndex, text.utf8[end] & 0xC0 == 0x80 { end = text.utf8.index(before: end) }
        return text[..<end]
    }
}

/// A text that is to be logged, or as much of a long one as is looked at.
struct LoggedText {
    let text: String
    /// Bytes of the whole.
    let length: Int

    init(_ text: String) { (self.text, length) = (text, text.utf8.count) }

    /// A text of a script, which may have 100 MB.
    init(_ bytes: UnsafeRawBufferPointer) {
        text = String(decoding: bytes.prefix(LogLength.mostLookedBytes), as: UTF8.self)
        length = bytes.count
    }
}
