extension URLText {
    /// Appends text to the path (1.8, 3.1–3.4): one leading slash is ignored, a joining slash is put where
    /// there is none, all else is path text, escaped as `PercentEncoding.path` does and never read as a URL.
    /// Query and fragment are kept.
    public func appendingPath(_ text: String) -> URLText {
        var reference = reference
        var path = Array(reference.path)
        if path.last != .slash { path.append(.slash) }
        let utf8 = text.utf8
        path += PercentEncoding.encode(utf8.first == .slash ? utf8.dropFirst() : utf8[...], keeping: .path)
        reference.path = path[...]
        return URLText(reference)
    }

    /// A resource below this one (3.4); the empty text gives a trailing slash. Nil when the text, decoded or not, has a
    /// segment `.` or `..`, which some server would read as a way out (D31).
    public func child(_ text: String) -> URLText? {
        PathText.hasDotSegment(text) ? nil : appendingPath(text)
    }
}
