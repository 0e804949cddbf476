/// Selects the URLs of a configuration block (14.9–14.15).
package enum URLPattern: Sendable {
    /// Every URL, other hosts included (14.15).
    case all
    case glob(GlobPattern)
    case regex(CompiledRegex)
    /// Exactly this URL (14.12).
    case resource(URLText)
    /// A function that the owner of the pattern holds under this number and evaluates (14.13).
    case predicate(Int)

    /// A glob as a script writes it, relative to the base of its service (14.9).
    package static func glob(_ text: String, base: BaseURL?) throws(PatternError) -> URLPattern {
        .glob(try GlobPattern(text, base: base))
    }

    /// A regular expression, searched for in the whole URL (14.11).
    package static func regex(_ text: String, options: String = "") throws(PatternError) -> URLPattern {
        .regex(try CompiledRegex(text, options: options))
    }

    /// - Parameter predicate: Evaluates the function of a number for this URL.
    package func matches(_ url: URLText, predicate: (Int) throws -> Bool) throws -> Bool {
        switch self {
        case .all: true
        case .glob(let glob): glob.matches(url)
        case .regex(let regex): try regex.matches(url)
        case .resource(let resource): resource == url
        case .predicate(let number): try predicate(number)
        }
    }

    /// Whether it certainly matches every URL that `other` matches. False if that can't be decided.
    package func covers(_ other: URLPattern) -> Bool {
        switch (self, other) {
        case (.all, _): true
        case (.glob(let wide), .glob(let narrow)): wide.covers(narrow)
        case (.resource(let one), .resource(let two)): one == two
        case (.glob(let glob), .resource(let url)): glob.matches(url)
        case (.regex(let one), .regex(let two)): one.pattern == two.pattern && one.options == two.options
        default: false
        }
    }
}

extension URLPattern: CustomStringConvertible {
    /// The pattern as its author wrote it, if it is a text.
    package var description: String {
        switch self {
        case .all: "every URL"
        case .glob(let glob): glob.text
        case .regex(let regex): regex.description
        case .resource(let url): url.string
        case .predicate: "a function of the URL"
        }
    }
}

/// A pattern that can't be used, or that could not be evaluated for a URL.
public struct PatternError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    package enum Code: String, Sendable {
        case badGlob = "bad_glob"
        case badPath = "bad_path"
        case badRegex = "bad_regex"
        case badRegexOption = "bad_regex_option"
        case regexTooExpensive = "regex_too_expensive"
        case regexFailed = "regex_failed"
    }

    /// The kind of error, for programs.
    package let code: Code
    /// The pattern as its author wrote it.
    public let pattern: String
    /// The error, for people.
    public let message: String
    /// The position of the error, in bytes from the start of the pattern.
    package let offset: Int?
    /// A valid pattern to write instead, if one is known.
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
