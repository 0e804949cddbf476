/// What went over the wire for one request: the last answer's head and times, for tools that show them.
public struct Exchange: Sendable {
    /// Where the answer came from, after redirects.
    public let url: String
    public let status: Int
    public let httpVersion: String
    public let headers: Headers
    public let timings: TransferTimings
    /// Redirects that were followed to get there.
    public let redirects: Int
}
