/// A pattern that can't be used, or that could not be decided for a URL.
public struct PatternError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable {
        case badGlob = "bad_glob"
        case badRegex = "bad_regex"
        case badRegexOption = "bad_regex_option"
        case regexTooExpensive = "regex_too_expensive"
        case regexFailed = "regex_failed"
    }

    /// What is wrong, for programs.
    public let code: Code
    /// The pattern as its author wrote it.
    public let pattern: String
    /// What is wrong, for people.
    public let message: String
    /// In bytes from the start of the pattern.
    public let offset: Int?
    /// What to write instead, where that is known.
    public let suggestion: String?

    init(_ code: Code, pattern: String, message: String, offset: Int? = nil, suggestion: String? = nil) {
        self.code = code
        self.pattern = pattern
        self.message = message
        self.offset = offset
        self.suggestion = suggestion
    }

    public var description: String {
        var text = "\(message) in pattern '\(pattern)'"
        if let offset { text += " at byte \(offset + 1)" }
        if let suggestion { text += ": \(suggestion)" }
        return text
    }
}
