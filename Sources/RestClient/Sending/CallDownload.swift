public import RestEngine

/// A file that a call has downloaded.
public struct CallDownload: Sendable {
    /// Where it is.
    public let path: String
    /// Its size.
    public let bytes: Int64
    /// The status of the answer that it began with.
    public let status: Int?
    /// The headers of that answer.
    public let headers: Headers
}

extension Call {
    /// Downloads the body into a file, which appears at `path` in one step when it is complete. When the
    /// connection is cut, the rest is requested (rules 56): of a GET whose answer has a strong ETag and a
    /// length, as often as bytes arrived since the last cut. Cancelling the task leaves no file.
    ///
    /// - Parameters:
    ///   - progress: Called on the engine's loop with the bytes of the message that is under way.
    ///   - session: Where it is sent; nil for the session of the call.
    ///   - path: The file to write.
    /// - Throws: The `RequestError` of the request, also for a file that can't be written.
    @concurrent @discardableResult
    public func download(
        to path: String, session: Session? = nil,
        progress: (@EngineActor (TransferProgress) -> Void)? = nil
    ) async throws(RequestError) -> CallDownload {
        let request = await start(session ?? self.session, to: .file(path))
        if let progress { await request.onTransfer(progress) }
        let entity = try await request.entity()
        let bytes = entity.content.tree?["bytes"]?.int ?? 0
        return CallDownload(path: path, bytes: Int64(bytes), status: entity.status, headers: entity.headers)
    }
}
