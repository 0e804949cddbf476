import TestSupport
import Testing

@testable import RestEngine

struct GlobFuzzTests {
    private static let globPieces = ["a", "b", "ab", "/", "/", "*", "**", "**/", "?", "/*/", "/**/"]
    private static let pathPieces = ["a", "b", "ab", "/", "//", "c"]

    /// A literal version of rule 14.9 that tries all ways. `**/` is taken from the left before `**` and `*`.
    private func naive(_ pattern: Substring, _ text: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "S":
            return naive(rest, text)
                || text.indices.contains { text[$0] == "/" && naive(rest, text[$0...].dropFirst()) }
        case "D": return naive(rest, text) || (!text.isEmpty && naive(pattern, text.dropFirst()))
        case "*":
            return naive(rest, text)
                || (!text.isEmpty && text.first != "/" && naive(pattern, text.dropFirst()))
        case "?": return !text.isEmpty && text.first != "/" && naive(rest, text.dropFirst())
        default: return text.first == first && naive(rest, text.dropFirst())
        }
    }

    private func tokens(_ glob: String) -> String {
        glob.replacing("**/", with: "S").replacing("**", with: "D")
    }

    @Test func `14.9 globs match as the rule says`() throws {
        var generator = SeededRandom(seed: 14)
        var matched = 0
        for _ in 0..<20_000 {
            let glob = "x:" + generator.text(of: Self.globPieces, upTo: 6)
            let text = "x:" + generator.text(of: Self.pathPieces, upTo: 6)
            guard !glob.hasPrefix("x://"), !text.hasPrefix("x://"), let url = URLText(text) else { continue }
            let expected = naive(tokens(glob)[...], text[...])
            #expect(try GlobPattern(glob).matches(url) == expected, "\(glob) on \(text)")
            if expected { matched += 1 }
        }
        #expect(matched > 500)
    }

    @Test func `14.9 the index finds what the globs match`() throws {
        var generator = SeededRandom(seed: 15)
        let base = try? BaseURL("https://h/")
        var matched = 0
        for _ in 0..<60 {
            var index = PatternIndex()
            var globs: [GlobPattern] = []
            for _ in 0..<40 {
                let glob = try GlobPattern(generator.text(of: Self.globPieces, upTo: 6), base: base)
                globs.append(glob)
                index.append(.glob(glob))
            }
            for _ in 0..<40 {
                let url = try #require(URLText("https://h/" + generator.text(of: Self.pathPieces, upTo: 6)))
                let expected = globs.indices.filter { globs[$0].matches(url) }
                #expect(try index.matches(url) { _ in false } == expected, "\(url)")
                matched += expected.count
            }
        }
        #expect(matched > 500)
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "**a**a**a**a**a**b", "*a*a*a*a*a*a*b", "**/a/**/a/**/a/**/b", "**a*a**/a*a**/b?", "?*?*?*?*?*b",
        ])
    func `14.9 no glob takes more than text times steps`(pattern: String) throws {
        let glob = try GlobPattern(pattern, base: try BaseURL("https://h/"))
        for unit in ["a", "a/", "aa/"] {
            let url = try #require(URLText("https://h/" + String(repeating: unit, count: 2000) + "c"))
            #expect(!glob.matches(url))
        }
    }
}
