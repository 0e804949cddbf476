extension String {
    /// Replaces the version that escapes control characters, because no messages are printed here.
    var printable: String { self }
}
