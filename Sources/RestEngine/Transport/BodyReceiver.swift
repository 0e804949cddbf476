/// Takes the body of a response as it comes, so that none of it has to be in memory at once.
///
/// Of responses with a status of 200 to 299 alone: a redirect, or the body of an error, comes whole, as ever.
@EngineActor
public protocol BodyReceiver: AnyObject, Sendable {
    /// The response without its body: once for each transfer that has such a response, before its first
    /// bytes, or before its end when it has none.
    func begin(_ response: TransportResponse, of transfer: any Transfer)
    /// The next bytes, decoded, of which there are some.
    ///
    /// - Returns: False when there shall be no more before ``Transfer/resume()``, nor the end: the server
    ///   waits meanwhile, and the limit of idle time doesn't run.
    func receive(_ bytes: [UInt8]) -> Bool
}
