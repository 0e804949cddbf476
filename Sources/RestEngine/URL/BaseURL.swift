/// The base URL of a service: a URL whose path ends in a slash (1.2).
public struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    /// With the slash.
    public let url: URLText

    /// Why a text is no base.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        public let text: String

        public var description: String {
            "'\(text)' is not a URL: it looks like \"https://api.example.com/v1\""
        }
    }

    /// Throws for text that is no URL of http or https. Not as 1.1 has it, where such a service silently has no base: who
    /// means that gives none.
    public init(_ text: String) throws(Failure) {
        guard let url = URLText(text), url.isHTTP else { throw Failure(text: text) }
        self.init(url)
    }

    /// Adds a slash to the path if it lacks one; the query is kept.
    public init(_ url: URLText) {
        self.url = url.path.utf8.last == .slash ? url : url.appendingPath("")
    }

    public var description: String { url.string }

    /// The URL of a path resource (3.1); the empty path is the base itself.
    public func resource(_ path: String) -> URLText { url.appendingPath(path) }
}
