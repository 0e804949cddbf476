import RestEngine

/// A place in the folder: names below its root. `/users/octocat.json` is the same place as `/users/octocat`,
/// and `/users/index` as `/users`.
struct FixturePath: Hashable, Sendable {
    let segments: [String]

    init(_ segments: [String]) {
        var segments = segments
        if let last = segments.last, last.hasSuffix(".json") {
            segments[segments.count - 1] = String(last.dropLast(5))
        }
        if segments.last == "index" { segments.removeLast() }
        self.segments = segments
    }

    /// Nil when the path could mean something outside the folder, or a hidden file in it.
    init?(encoded path: String) {
        guard path.hasPrefix("/") else { return nil }
        var parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        var segments: [String] = []
        for part in parts {
            guard let segment = Self.decoded(part), Self.isName(segment) else { return nil }
            segments.append(segment)
        }
        self.init(segments)
    }

    static let root = FixturePath([])

    var isRoot: Bool { segments.isEmpty }
    var parent: FixturePath? { isRoot ? nil : FixturePath(Array(segments.dropLast())) }

    var encoded: String {
        segments.isEmpty ? "/" : segments.map { "/" + PercentEncoding.component(Array($0.utf8)) }.joined()
    }

    /// Nil when the name can't be asked for as a path below this one.
    func appending(_ name: String) -> FixturePath? {
        guard Self.isName(name) else { return nil }
        let child = FixturePath(segments + [name])
        return child.segments.count == segments.count + 1 && child.segments.last == name ? child : nil
    }

    /// True for the path itself and all below it.
    func contains(_ other: FixturePath) -> Bool { other.segments.starts(with: segments) }

    /// Nil for a broken escape, which would stand for itself elsewhere, and for bytes that are not UTF-8.
    private static func decoded(_ segment: Substring) -> String? {
        let escapes = segment.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
            .dropFirst()
        let areWhole = escapes.allSatisfy { rest in
            rest.count >= 2 && rest.prefix(2).allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
        return areWhole ? PercentEncoding.decode(String(segment)) : nil
    }

    private static func isName(_ segment: String) -> Bool {
        !segment.isEmpty && !segment.hasPrefix(".") && !segment.utf8.contains { $0 == 0 || $0 == 0x2F }
    }
}
