import TestSupport

extension SeededRandom {
    /// Text of up to `length` pieces.
    mutating func text(of pieces: [String], upTo length: Int) -> String {
        (0..<Int.random(in: 0...length, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }
            .joined()
    }
}
