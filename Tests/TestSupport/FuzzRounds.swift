import Platform

/// How long tests by chance go on. `RESTHOST_FUZZ=50` in the environment lets each do 50 times as much, from
/// another seed.
public enum FuzzRounds {
    private static let factor = getenv("RESTHOST_FUZZ").flatMap { UInt64(String(cString: $0)) } ?? 1

    /// In the place of `usual`.
    public static func count(_ usual: Int) -> Int { usual * Int(max(1, factor)) }

    /// The same in every usual run.
    public static func random(seed: UInt64) -> SeededRandom {
        SeededRandom(seed: factor > 1 ? seed &+ factor &* 0x1_0000_0001 : seed)
    }
}
