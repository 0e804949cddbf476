/// Receives the body of a response as it arrives, so that it need not be completely in memory.
///
/// It gets only bodies of responses with a status of 200 to 299: the body of a redirect or an error is
/// collected as usual.
@EngineActor
public protocol BodyReceiver: AnyObject, Sendable {
    /// Whether it takes a body with its content coding, as it comes. Codings of the transfer are undone in
    /// any case (RFC 9112 7). False by default; constant.
    nonisolated var takesCodedBody: Bool { get }
    /// Gets the response without its body: once for each transfer with such a response, before its first
    /// bytes, or before its end if there are none.
    func begin(_ response: TransportResponse, of transfer: any Transfer)
    /// Gets the next bytes, never an empty array: decoded, unless it takes a coded body.
    ///
    /// - Returns: False to get no more bytes, nor the end, before ``Transfer/resume()``: the server has to
    ///   wait meanwhile, and the limit of idle time doesn't apply.
    func receive(_ bytes: [UInt8]) -> Bool
}

extension BodyReceiver {
    public nonisolated var takesCodedBody: Bool { false }
}
