/// One answered request, for an access log.
public struct AccessRecord: Sendable {
    /// Address of the other end, which may be a proxy; nil on a Unix socket.
    public var client: String?
    /// `-` for bytes that were no request.
    public var method: String
    /// As the client sent it, query included.
    public var target: String
    public var status: Int
    /// Of the answer's body.
    public var bytes: Int
    /// Seconds from the end of the request's head to the hand-over of the answer to the socket.
    public var duration: Double
}
