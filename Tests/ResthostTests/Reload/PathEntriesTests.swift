import TestSupport
import Testing

@testable import resthost

struct PathEntriesTests {
    /// The entries of a path if `files` and the folders above them exist.
    private func entries(of path: String, _ files: [String: PathEntries.Kind]) -> Set<String> {
        let entries = PathEntries.entries(of: path) { path in
            if let kind = files[path] { return kind }
            return files.keys.contains { $0.hasPrefix(path + "/") } ? .folder : .missing
        }
        return Set(entries.map { "\($0.folder) \($0.name)" })
    }

    @Test func `a file is noticed in its folder`() {
        #expect(entries(of: "/a/b/f.lua", ["/a/b/f.lua": .other]) == ["/a/b f.lua"])
        #expect(entries(of: "/f.lua", ["/f.lua": .other]) == ["/ f.lua"])
        #expect(entries(of: "/a/./b//../f.lua", ["/a/f.lua": .other, "/a/b/x": .other]) == ["/a f.lua"])
    }

    @Test func `a linked file is noticed beside the link and where the file is`() {
        let files: [String: PathEntries.Kind] = [
            "/a/f.lua": .link(to: "../b/g.lua"), "/b/g.lua": .link(to: "/c/h.lua"), "/c/h.lua": .other,
        ]
        #expect(entries(of: "/a/f.lua", files) == ["/a f.lua", "/b g.lua", "/c h.lua"])
    }

    @Test func `links to folders count, as those of mounted settings`() {
        let files: [String: PathEntries.Kind] = [
            "/etc/c/f.lua": .link(to: "..data/f.lua"), "/etc/c/..data": .link(to: "..2026"),
            "/etc/c/..2026/f.lua": .other,
        ]
        #expect(
            entries(of: "/etc/c/f.lua", files) == ["/etc/c f.lua", "/etc/c ..data", "/etc/c/..2026 f.lua"])
    }

    @Test func `what isn't there is noticed where it would begin`() {
        #expect(entries(of: "/a/b/c/f.lua", ["/a/x": .other]) == ["/a b"])
        #expect(entries(of: "/a/f.lua", ["/a/x": .other]) == ["/a f.lua"])
        #expect(entries(of: "/a/f.lua", ["/a/f.lua": .link(to: "/gone/g")]) == ["/a f.lua", "/ gone"])
        // A file exists where a folder was expected.
        #expect(entries(of: "/a/b/f.lua", ["/a/b": .other]) == ["/a b"])
    }

    @Test func `links in a circle end`() {
        let files: [String: PathEntries.Kind] = ["/a": .link(to: "/b"), "/b": .link(to: "a")]
        #expect(entries(of: "/a/f.lua", files) == ["/ a", "/ b"])
        #expect(entries(of: "/x", ["/x": .link(to: "x/x")]) == ["/ x"])
    }

    @Test func `whatever the links, it ends, and every folder is free of links`() {
        var random = SeededRandom(seed: 5)
        let names = ["a", "b", "..", ".", "c"]
        func path() -> String {
            (0..<Int.random(in: 1...5, using: &random)).map { _ in
                names[Int.random(in: 0..<names.count, using: &random)]
            }.joined(separator: "/")
        }
        for _ in 0..<2000 {
            var kinds: [String: PathEntries.Kind] = [:]
            for _ in 0..<6 {
                let name = "/" + path()
                kinds[name] =
                    [.link(to: path()), .link(to: "/" + path()), .folder, .other][
                        Int.random(in: 0..<4, using: &random)]
            }
            let found = PathEntries.entries(of: "/" + path()) { kinds[$0] ?? .missing }
            #expect(found.count <= 42)
            for entry in found {
                #expect(!entry.folder.contains("/.") && entry.name != "..")
                if case .link = kinds[entry.folder] { Issue.record("\(entry)") }
            }
        }
    }
}
