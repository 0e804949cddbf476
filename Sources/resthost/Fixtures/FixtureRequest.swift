import RestEngine

/// A request as it arrived.
struct FixtureRequest: Sendable {
    var method: String
    var target: String
    var headers = Headers()
    var body: [UInt8] = []
}
