/// The base URL of a service: a URL whose path ends in a slash (1.2).
public struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    /// With the slash.
    public let url: URLText

    /// Nil for text that is no URL: such a service has no base (1.1).
    public init?(_ text: String) {
        guard let url = URLText(text) else { return nil }
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
