import Platform
public import Testing

/// Whether tests whose worth is in their number do all that they know. `RESTHOST_TESTS=whole` in the
/// environment says so, as `.ci/run` does; otherwise they do a part of it, and the dearest are left out.
public enum WholeRun {
    public static let isWanted = getenv("RESTHOST_TESTS").map { String(cString: $0) == "whole" } ?? false

    /// Every so-manyeth of `all`, and all of them in a whole run. Says how many are left out, which
    /// scripts/run-tests adds up.
    public static func part<Element>(_ all: [Element], oneIn step: Int) -> [Element] {
        guard !isWanted else { return all }
        let part = stride(from: 0, to: all.count, by: step).map { all[$0] }
        let note = Array("tests: \(all.count - part.count) cases are left to the whole run\n".utf8)
        _ = write(STDERR_FILENO, note, note.count)
        return part
    }
}

extension Trait where Self == ConditionTrait {
    /// Seconds of work, for a whole run alone.
    public static var wholeRunOnly: Self { .enabled(if: WholeRun.isWanted, "only in a whole run") }
}
