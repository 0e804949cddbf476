import Platform

/// A path with names: `/users/{id}`, `/files/{path*}`, `/pages/**`.
///
/// `{id}` stands for one segment that is not empty. `{path*}` and `**` come last and stand for all other
/// segments, or none. A string literal that is malformed stops the program.
public struct PathPattern: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    package enum Segment: Hashable, Sendable {
        /// Decoded.
        case text(String)
        case name(String)
        /// The name is nil for `**`.
        case rest(String?)

        /// Of two patterns that match, the one whose first differing segment has the lower rank counts.
        package var rank: Int {
            switch self {
            case .text: 0
            case .name: 1
            case .rest(let name): name == nil ? 3 : 2
            }
        }

        /// The segment without its name, for comparing.
        package var shape: Segment {
            switch self {
            case .text: self
            case .name: .name("")
            case .rest(let name): .rest(name.map { _ in "" })
            }
        }
    }

    package let segments: [Segment]
    /// The pattern as its author wrote it.
    public let description: String

    public init(stringLiteral text: String) {
        do throws(PatternError) { try self.init(text) } catch { preconditionFailure("\(error)") }
    }

    /// - Throws: ``PatternError`` for a malformed name, and for what no path has.
    public init(_ text: String) throws(PatternError) {
        description = text
        func fault(_ message: String, _ suggestion: String) -> PatternError {
            PatternError(.badPath, pattern: text, message: message, suggestion: suggestion)
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
                segments.append(.text(part))
                continue
            }
            let isRest = part.hasSuffix("*}")
            let name = String(part.dropFirst().dropLast(isRest ? 2 : 1))
            guard part.hasPrefix("{"), part.hasSuffix("}"), Self.isName(name) else {
                throw fault(
                    "'\(part)' is no name",
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

    /// Letters, digits and `_`, with no digit at the start.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39 ~= first) else { return false }
        return text.utf8.allSatisfy { $0.isASCIILetter || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "_") }
    }

    /// The names in order.
    package var names: [String] {
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
                case .text(let text): PercentEncoding.path(text)
                case .name: "*"
                case .rest: "**"
                }
            }.joined(separator: "/")
    }

    /// The decoded values of the names in a path as in a URL; nil if the path doesn't match. The value of
    /// `{path*}` keeps `%2F`, so that segments stay apart. No value has a dot segment, which would lead to
    /// another path (D31).
    package func values(in path: String) -> [String: String]? {
        guard let parts = Self.decodedSegments(of: Array(path.utf8)[...]), let found = parameters(in: parts)
        else { return nil }
        return Dictionary(found.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The decoded segments of a path, which may begin with a slash; nil if one is no UTF-8.
    package static func decodedSegments(of path: ArraySlice<UInt8>) -> [String]? {
        var segments: [String] = []
        let rest = path.first == .slash ? path.dropFirst() : path
        for part in rest.split(separator: .slash, omittingEmptySubsequences: false) {
            guard let text = PercentEncoding.decode(String(decoding: part, as: UTF8.self)) else { return nil }
            segments.append(text)
        }
        return segments
    }

    /// The values of the names in order, in a path with these segments; nil if the path doesn't match.
    package func parameters(in parts: [String]) -> [(name: String, value: String)]? {
        var found: [(name: String, value: String)] = []
        for (index, segment) in segments.enumerated() {
            guard index < parts.count else { return nil }
            switch segment {
            case .text(let text): guard text == parts[index] else { return nil }
            case .name(let name):
                let value = parts[index]
                guard !value.isEmpty, !value.utf8.contains(.slash), !PathText.hasDotSegment(value) else {
                    return nil
                }
                found.append((name, value))
            case .rest(let name):
                let value = parts[index...].map { $0.replacing("/", with: "%2F") }.joined(separator: "/")
                guard !PathText.hasDotSegment(value) else { return nil }
                if let name { found.append((name, value)) }
                return found
            }
        }
        return parts.count == segments.count ? found : nil
    }
}
