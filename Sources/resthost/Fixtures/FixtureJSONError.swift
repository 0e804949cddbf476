/// Where a text stops being JSON (RFC 8259), in bytes from its start.
struct FixtureJSONError: Error, Equatable {
    var offset: Int
}
