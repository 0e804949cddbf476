import Platform

/// The length of random tests. `RESTHOST_FUZZ=50` in the environment makes each 50 times as long, with
/// another seed.
public enum FuzzRounds {
    private static let factor = getenv("RESTHOST_FUZZ").flatMap { UInt64(String(cString: $0)) } ?? 1

    /// The number of rounds in place of `usual`.
    public static func count(_ usual: Int) -> Int { usual * Int(max(1, factor)) }

    /// A generator that is the same in every usual run.
    public static func random(seed: UInt64) -> SeededRandom {
        SeededRandom(seed: factor > 1 ? seed &+ factor &* 0x1_0000_0001 : seed)
    }
}
