/// Why the server can't start, as one sentence.
struct FixtureFailure: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
