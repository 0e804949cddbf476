/// Receives the body of a response as it arrives, so that it need not be completely in memory.
///
/// It gets only bodies of responses with a status of 200 to 299: the body of a redirect or an error is
/// collected as usual.
@EngineActor
public protocol BodyReceiver: AnyObject, Sendable {
    /// Gets the response without its body: once for each transfer with such a response, before its first
    /// bytes, or before its end if there are none.
    func begin(_ response: TransportResponse, of transfer: any Transfer)
    /// Gets the next bytes, decoded; never an empty array.
    ///
    /// - Returns: False to get no more bytes, nor the end, before ``Transfer/resume()``: the server has to
    ///   wait meanwhile, and the limit of idle time doesn't apply.
    func receive(_ bytes: [UInt8]) -> Bool
}
