/// What went over the wire for one request: the last answer's head and times, for tools that show them.
public struct Exchange: Sendable {
    /// Where the answer came from, after redirects.
    public let url: String
    /// Of the last answer.
    public let status: Int
    /// `HTTP/1.1`, `HTTP/2`, ….
    public let httpVersion: String
    /// Of the last answer.
    public let headers: Headers
    /// Of the last transfer.
    public let timings: TransferTimings
    /// Redirects that were followed to get there.
    public let redirects: Int
}
