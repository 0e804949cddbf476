/// Finds the name that a misspelled one probably stands for.
package enum NearestName {
    /// ": did you mean 'x'?", or nothing when no name is near.
    package static func advice(_ name: String, among candidates: [String]) -> String {
        nearest(name, among: candidates).map { ": did you mean '\($0)'?" } ?? ""
    }

    package static func nearest(_ name: String, among candidates: [String]) -> String? {
        // Longer names aren't worth a quadratic comparison.
        guard name.utf8.count <= 64 else { return nil }
        // Those of other languages: `isUpToDate`, `baseURL`.
        let plain = plainly(name)
        if let same = candidates.first(where: { plainly($0) == plain }) { return same }
        let tolerance = max(1, name.utf8.count / 3)
        let ranked = candidates.map { (name: $0, distance: distance(Array(name.utf8), Array($0.utf8))) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= tolerance {
            return best.name
        }
        guard name.utf8.count >= 3 else { return nil }
        let alike = candidates.filter { $0.hasPrefix(name) || name.hasPrefix($0) && $0.utf8.count >= 3 }
        let words = Set(name.split(separator: "_"))
        return shortest(alike)
            // 'message' for user_message, 'status' for http_status_code.
            ?? shortest(candidates.filter { words.isSubset(of: $0.split(separator: "_")) })
            ?? shortest(
                candidates.filter { $0.utf8.count >= 3 && words.isSuperset(of: $0.split(separator: "_")) })
    }

    private static func plainly(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }

    private static func shortest(_ names: [String]) -> String? {
        names.min { $0.utf8.count < $1.utf8.count }
    }

    /// Insertions, deletions, replacements and swaps of neighbours.
    package static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast = [Int]()
        var last = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var row = [i + 1]
            for (j, b) in right.enumerated() {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
