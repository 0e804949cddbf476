import Platform
import TestSupport
import Testing

@testable import RestEngine

struct URLFuzzTests {
    private static let pieces = [
        "a", "B", "/", "/", "//", ".", "..", "?", "#", ":", "@", "%", "%41", "%zz", "&", "=", "+", "é", "[",
        "]", "::1",
        "http:", "https://", "h", ":80", ":443", ":8080", "\\", " ", "\0", ";", "*", "{", "\u{1F4A3}",
    ]

    private func urls(_ count: Int, seed: UInt64, body: (URLText, inout SeededRandom) -> Void) {
        var generator = SeededRandom(seed: seed)
        for _ in 0..<count {
            let head = ["", "https://h", "http://H:80/a"].randomElement(using: &generator) ?? ""
            if let url = URLText(head + generator.text(of: Self.pieces, upTo: 8)) { body(url, &generator) }
        }
    }

    /// Parsing the text again gives the same text and parts.
    private func isSettled(_ url: URLText) -> Bool {
        guard !url.string.isEmpty else { return true }
        guard let again = URLText(url.string) else { return false }
        return again.string == url.string && again.offsets == url.offsets
            && url.string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    @Test func `D21 normalising twice changes nothing`() {
        urls(20_000, seed: 1) { url, _ in
            #expect(isSettled(url), "\(url)")
        }
    }

    @Test func `3.2 appended text only lengthens the path`() {
        urls(10_000, seed: 2) { url, generator in
            let text = generator.text(of: Self.pieces, upTo: 6)
            let child = url.appendingPath(text)
            #expect(isSettled(child), "\(url) + \(text)")
            #expect(child.query == url.query && child.fragment == url.fragment)
            #expect(child.scheme == url.scheme && child.host == url.host && child.port == url.port)
            let stripped = text.utf8.first == .slash ? text.utf8.dropFirst() : text.utf8[...]
            #expect(
                PercentEncoding.decodeBytes(child.path.utf8).suffix(stripped.count).elementsEqual(stripped))
        }
    }

    @Test func `3.5 a link from a host stays a URL without dot segments`() {
        urls(10_000, seed: 3) { url, generator in
            let href = generator.text(of: Self.pieces, upTo: 6)
            guard let target = url.relative(href) else {
                #expect(URLReference(href) == nil)
                return
            }
            #expect(isSettled(target), "\(url) -> \(href)")
            // An href without a path keeps the base's path (RFC 3986 5.2.2).
            guard target.host != nil, URLReference(href)?.path.isEmpty == false else { return }
            #expect(!target.path.split(separator: "/").contains { $0 == "." || $0 == ".." }, "\(target)")
        }
    }

    @Test func `3.7, 3.9 a parameter can be read back and removed`() {
        urls(10_000, seed: 4) { url, generator in
            let name = generator.text(of: Self.pieces, upTo: 3)
            let value = generator.text(of: Self.pieces, upTo: 4)
            let with = url.withParam(name, value)
            #expect(isSettled(with), "\(url) \(name)=\(value)")
            let pairs = with.parameters.filter { $0.nameBytes == Array(name.utf8) }
            #expect(pairs.map(\.value) == [value])
            #expect(with.withParam(name, nil) == url.withParam(name, nil))
            #expect(with.withParam(name, value) == with)
        }
    }
}
