import RestEngine

extension Body {
    /// The elements of an asynchronous sequence, chunks of bytes, written while they are sent. The sequence
    /// is read as fast as the server takes it, and only once: a second sending of the call fails.
    ///
    /// - Parameters:
    ///   - length: The bytes of the body, if they are known; the call fails if there are more or fewer.
    ///   - type: Nil: `application/octet-stream`.
    ///   - stream: The bytes.
    public init<Chunks: AsyncSequence & Sendable>(
        stream: Chunks, length: Int64? = nil, type: ContentType? = nil
    )
    where
        Chunks.Element: Sequence, Chunks.Element.Element == UInt8, Chunks.AsyncIterator: SendableMetatype
    {
        self.init(.stream(BodySource(length: length, { stream }, bytes: { Array($0) }).makePipe()), type)
    }

    /// The same for a sequence of single bytes.
    public init<Bytes: AsyncSequence & Sendable>(
        stream: Bytes, length: Int64? = nil, type: ContentType? = nil
    ) where Bytes.Element == UInt8, Bytes.AsyncIterator: SendableMetatype {
        self.init(.stream(BodySource(length: length, { stream }, bytes: { [$0] }).makePipe()), type)
    }

    /// Chunks of bytes of a sequence that is made anew for each request, so that the call can be sent again.
    ///
    /// - Parameters:
    ///   - length: The bytes of the body, if they are known; the call fails if there are more or fewer.
    ///   - type: Nil: `application/octet-stream`.
    ///   - make: Gives the bytes, at each sending.
    public init<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64? = nil, type: ContentType? = nil, streaming make: @escaping @Sendable () -> Chunks
    )
    where
        Chunks.Element: Sequence, Chunks.Element.Element == UInt8, Chunks.AsyncIterator: SendableMetatype
    {
        let source = BodySource(length: length, make, bytes: { Array($0) })
        self.init(.one(DefinedBody(source, contentType: type?.rawValue)))
    }
}
