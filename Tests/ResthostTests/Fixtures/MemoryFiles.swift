@testable import resthost

/// Fixtures from a table of path and text.
struct MemoryFiles: FixtureFiles {
    static let modified = 1_000_000

    let texts: [String: String]

    func read(_ names: [String]) -> FixtureFile? {
        texts[names.joined(separator: "/")].map {
            FixtureFile(bytes: Array($0.utf8), modified: Self.modified)
        }
    }

    func names(in folder: [String]) -> [String]? {
        let below = texts.keys.map { $0.split(separator: "/").map(String.init) }
            .filter { $0.count > folder.count && $0.starts(with: folder) }
        return below.isEmpty ? nil : Set(below.map { $0[folder.count] }).sorted()
    }
}
