import Platform
public import Testing

/// Whether tests with many cases run all of them. `RESTHOST_TESTS=whole` in the environment says so, and
/// `.ci/run` sets it. Otherwise they run a part, and the slowest ones are left out.
public enum WholeRun {
    public static let isWanted = getenv("RESTHOST_TESTS").map { String(cString: $0) == "whole" } ?? false

    /// Every `step`-th element of `all`; all of them in a whole run. Prints how many are left out, and
    /// scripts/run-tests adds these numbers up.
    public static func part<Element>(_ all: [Element], oneIn step: Int) -> [Element] {
        guard !isWanted else { return all }
        let part = stride(from: 0, to: all.count, by: step).map { all[$0] }
        let note = Array("tests: \(all.count - part.count) cases are left to the whole run\n".utf8)
        _ = write(STDERR_FILENO, note, note.count)
        return part
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that take seconds: they only run in a whole run.
    public static var wholeRunOnly: Self { .enabled(if: WholeRun.isWanted, "only in a whole run") }
}
