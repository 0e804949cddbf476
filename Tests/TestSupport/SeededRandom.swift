/// Random numbers that are the same in every run (SplitMix64), so that random tests can be repeated.
public struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    public mutating func int(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// A text of characters out of `alphabet`.
    public mutating func text(of alphabet: String, upTo length: Int) -> String {
        let characters = Array(alphabet)
        return String((0..<int(below: length + 1)).map { _ in characters[int(below: characters.count)] })
    }

    public mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<int(below: count + 1)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
