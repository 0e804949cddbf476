/// A pattern of paths: `*` is any part of a name, `?` one character of it, `**` any number of names or none.
struct FixtureGlob: Sendable, Equatable {
    let text: String
    private let names: [[Character]]

    init(_ text: String) {
        self.text = text
        names = text.split(separator: "/").map { Array($0.lowercased()) }
    }

    /// One pattern each line; empty lines and those that start with `#` are skipped.
    static func parse(_ lines: String) -> [FixtureGlob] {
        lines.split(whereSeparator: \.isNewline).map(trimmed)
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { FixtureGlob(String($0)) }
    }

    /// Case is ignored, because some file systems do.
    func matches(_ path: FixturePath) -> Bool {
        Self.match(names[...], path.segments.map { Array($0.lowercased()) }[...], any: ["*", "*"]) {
            name, segment in
            Self.match(name[...], segment[...], any: "*") { $0 == "?" || $0 == $1 }
        }
    }

    /// Both levels are the same problem: a row in which one element stands for any number of others. Only the
    /// last such element is remembered, so it takes pattern times text steps at most.
    private static func match<Element: Equatable>(
        _ pattern: ArraySlice<Element>, _ text: ArraySlice<Element>, any: Element,
        one: (Element, Element) -> Bool
    ) -> Bool {
        var p = pattern.startIndex
        var t = text.startIndex
        var retry: (p: Int, t: Int)?
        while t < text.endIndex {
            if p < pattern.endIndex, pattern[p] == any {
                p += 1
                retry = (p, t)
            } else if p < pattern.endIndex, one(pattern[p], text[t]) {
                p += 1
                t += 1
            } else if let last = retry {
                p = last.p
                t = last.t + 1
                retry = (p, t)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == any }
    }

    private static func trimmed(_ line: Substring) -> Substring {
        let start = line.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}
