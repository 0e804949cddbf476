internal import CRegex

/// A regular expression (PCRE2 syntax) that is searched for anywhere in a URL (14.11). The work of a search
/// is limited.
package final class CompiledRegex: CustomStringConvertible {
    /// The pattern as its author wrote it, without options.
    package let pattern: String
    /// Empty, or `i`: ignore case.
    package let options: String
    /// The bytes that the compiled pattern takes.
    package let byteCount: Int
    private let handle: OpaquePointer

    /// Throws for text that is no regular expression. The only option is `i`: ignore case.
    package init(_ pattern: String, options: String = "") throws(PatternError) {
        if let other = options.utf8.first(where: { $0 != UInt8(ascii: "i") }) {
            throw PatternError(
                .badRegexOption, pattern: pattern,
                message: "unknown option '\(Character(UnicodeScalar(other)))'",
                suggestion: "the only option is 'i', for letters of either case")
        }
        var text = pattern
        var error: Int32 = 0
        var offset = 0
        let compiled = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                cregex_compile(chars.baseAddress, chars.count, options.isEmpty ? 0 : 1, &error, &offset)
            }
        }
        guard let compiled else {
            throw PatternError(
                .badRegex, pattern: pattern, message: Self.message(error), offset: offset,
                suggestion: "write \\ before a character that stands for itself")
        }
        handle = compiled
        byteCount = cregex_bytes(compiled)
        self.pattern = pattern
        self.options = options
    }

    deinit { cregex_free(handle) }

    package var description: String { "/\(pattern)/\(options)" }

    /// Searches in the whole URL, including its query (14.11).
    package func matches(_ url: URLText) throws(PatternError) -> Bool {
        try matches(url.string)
    }

    /// Searches in any text; throws if the search takes too much work.
    package func matches(_ text: String) throws(PatternError) -> Bool {
        var text = text
        let result = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                cregex_search(handle, chars.baseAddress, chars.count)
            }
        }
        switch Int(result) {
        case CREGEX_MATCH: return true
        case CREGEX_NO_MATCH: return false
        case CREGEX_TOO_EXPENSIVE:
            throw PatternError(
                .regexTooExpensive, pattern: pattern, message: "regex too expensive on this URL",
                suggestion: "avoid repeats of repeats such as (a+)+, or use a glob")
        default:
            throw PatternError(.regexFailed, pattern: pattern, message: "regex could not be matched")
        }
    }

    private static func message(_ error: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            cregex_message(error, buffer.baseAddress, buffer.count)
            // The C function always terminates the text.
            return buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }
}

// Unchecked because of the pointer: the compiled code is never changed after `init`, each search has working
// memory of its own, and the code is freed in `deinit`, when no search can run any more.
extension CompiledRegex: @unchecked Sendable {}
