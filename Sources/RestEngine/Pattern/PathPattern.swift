import Platform

/// A path with names: `/users/{id}`, `/files/{path*}`, `/pages/**`.
///
/// `{id}` stands for one segment that is not empty. `{path*}` and `**` come last and stand for all other
/// segments, or none. A string literal that is malformed stops the program.
public struct PathPattern: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    enum Segment: Hashable, Sendable {
        /// As in a URL.
        case text(String)
        case name(String)
        /// The name is nil for `**`.
        case rest(String?)
    }

    let segments: [Segment]
    /// The pattern as its author wrote it.
    public let description: String

    public init(stringLiteral text: String) {
        do throws(PatternError) { try self.init(text) } catch { preconditionFailure("\(error)") }
    }

    /// - Throws: ``PatternError`` for a malformed name, and for what no path has.
    public init(_ text: String) throws(PatternError) {
        description = text
        func fault(_ message: String, _ suggestion: String) -> PatternError {
            PatternError(.badPath, pattern: text.printable, message: message, suggestion: suggestion)
        }
        if PathText.hasDotSegment(text) {
            throw fault("segment '.' or '..'", "write the path to which it leads")
        }
        if text.contains(where: { "?#".contains($0) }) {
            throw fault("query or fragment", "a pattern is for a path; its query is not part of it")
        }
        let path = text.hasPrefix("/") ? text.dropFirst() : text[...]
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        var names: Set<String> = []
        var segments: [Segment] = []
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            if part == "**" {
                guard isLast else { throw fault("'**' before the end", "it stands for all other segments") }
                segments.append(.rest(nil))
                continue
            }
            guard part.contains("{") || part.contains("}") else {
                guard !part.contains("*") else {
                    throw fault("'*' in a segment", "write {name} for one segment, {name*} for all others")
                }
                segments.append(.text(PercentEncoding.path(part)))
                continue
            }
            let isRest = part.hasSuffix("*}")
            let name = String(part.dropFirst().dropLast(isRest ? 2 : 1))
            guard part.hasPrefix("{"), part.hasSuffix("}"), PathTemplate.isName(name) else {
                throw fault(
                    "'\(part.printable)' is no name",
                    "a name is a whole segment of letters, digits and '_': {day}, or {path*} at the end")
            }
            guard names.insert(name).inserted else {
                throw fault("the name '\(name)' occurs twice", "give each segment a name of its own")
            }
            guard isLast || !isRest else {
                throw fault("'\(part)' before the end", "it stands for all other segments")
            }
            segments.append(isRest ? .rest(name) : .name(name))
        }
        self.segments = segments
    }

    /// The names in order.
    public var names: [String] {
        segments.compactMap {
            switch $0 {
            case .name(let name): name
            case .rest(let name): name
            case .text: nil
            }
        }
    }

    /// The glob that matches the same paths, and those in which a name's segment is empty.
    var glob: String {
        "/"
            + segments.map {
                switch $0 {
                case .text(let text): text
                case .name: "*"
                case .rest: "**"
                }
            }.joined(separator: "/")
    }

    /// The decoded values of the names in a path as in a URL; nil if the path doesn't match. The value of
    /// `{path*}` keeps `%2F`, so that segments stay apart.
    public func values(in path: String) -> [String: String]? {
        let path = path.hasPrefix("/") ? path.dropFirst() : path[...]
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        var values: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            guard index < parts.count else { return nil }
            switch segment {
            case .text(let text): guard text == parts[index] else { return nil }
            case .name(let name):
                guard let value = PercentEncoding.decode(parts[index]), !value.isEmpty,
                    !value.utf8.contains(.slash)
                else { return nil }
                values[name] = value
            case .rest(let name):
                guard let name else { return values }
                var decoded: [String] = []
                for part in parts[index...] {
                    guard let text = PercentEncoding.decode(part) else { return nil }
                    decoded.append(text.replacing("/", with: "%2F"))
                }
                values[name] = decoded.joined(separator: "/")
                return values
            }
        }
        return parts.count == segments.count ? values : nil
    }
}
