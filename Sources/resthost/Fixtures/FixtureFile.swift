/// A file's content and when it was last written, in Unix seconds.
struct FixtureFile: Sendable, Equatable {
    var bytes: [UInt8]
    var modified: Int
}
