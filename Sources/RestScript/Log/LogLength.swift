import RestEngine

/// Limits the part of a text that one log entry shows. A script may log, and a client may send, a text of 100
/// MB, so the entry and the work for it have a limit.
public struct LogLength: Sendable {
    /// Bytes of an entry's text and fields together. See docs/reference/limits.md, L270.
    static let mostBytes = 64 << 10
    /// Bytes of fields that are read from a table, of which those first in the alphabet are shown.
    /// See docs/reference/limits.md, L282.
    static let mostReadBytes = 1 << 20
    /// Fields of an entry. See docs/reference/limits.md, L271.
    static let mostFields = 256
    /// The mask searches so many bytes behind the shown part for the end of a secret. It recognizes a known
    /// secret by its first 64 bytes.
    private static let margin = 8 << 10
    /// The most bytes of a text that are read. A character at the end of them may be cut.
    static let mostLookedBytes = mostBytes + margin + 4

    private var left = mostBytes

    public init() {}

    /// A text with its secrets masked. When the entry is full, it is cut and its whole length is added.
    public mutating func shown(_ text: String) -> String { shown(LoggedText(text)) }

    mutating func shown(_ given: LoggedText) -> String {
        let (text, length) = (given.text, given.length)
        guard left > 0 || length == 0 else { return "… (cut: \(length) bytes in all)" }
        let looked = left + Self.mostLookedBytes - Self.mostBytes
        let masked = SecretMask.standard.line(
            text.utf8.count > looked ? String(Self.prefix(text, looked)) : text)
        // The mask doesn't find a secret that the first cut divides, so nothing near that cut is shown.
        let certain = masked.utf8.count - (length > looked ? Self.margin : 0)
        let most = min(left, max(certain, 0))
        guard masked.utf8.count > most else {
            left -= masked.utf8.count
            return masked
        }
        left -= most
        return Self.prefix(masked, most) + "… (cut: \(length) bytes in all)"
    }

    /// - Parameter more: The number of fields that were left out before.
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

    /// The beginning of a text, with at most so many bytes and only whole characters.
    private static func prefix(_ text: String, _ most: Int) -> Substring {
        guard text.utf8.count > most else { return text[...] }
        var end = text.utf8.index(text.startIndex, offsetBy: most)
        while end > text.startIndex, text.utf8[end] & 0xC0 == 0x80 { end = text.utf8.index(before: end) }
        return text[..<end]
    }
}

/// A text to be logged, or the part of a long one that is read.
struct LoggedText {
    let text: String
    /// The bytes of the whole text.
    let length: Int

    init(_ text: String) { (self.text, length) = (text, text.utf8.count) }

    /// A text of a script, which may be very long.
    init(_ bytes: UnsafeRawBufferPointer) {
        text = String(decoding: bytes.prefix(LogLength.mostLookedBytes), as: UTF8.self)
        length = bytes.count
    }
}
