/// A body that is read while it is sent, so that it is never completely in memory.
public enum Upload: Sendable, Hashable {
    /// The bytes of a regular file.
    case file(path: String)
    /// A multipart form (RFC 7578). The transport sets the boundary, also in the Content-Type.
    case multipart([MultipartPart])
    /// Bytes that are written while they are sent. It can be sent only once, because bytes that were read are
    /// gone.
    case stream(BodyPipe)

    /// Throws for faults that would make a transport fail: a file that can't be read, a part that would break
    /// the message.
    func check() throws(RequestError.CauseError) {
        switch self {
        case .file(let path): try Self.check(path)
        case .stream: break
        case .multipart(let parts):
            for part in parts {
                if let problem = part.problem {
                    throw RequestError.CauseError(.scriptError(.init(message: problem)))
                }
                if case .file(let path) = part.source { try Self.check(path) }
            }
        }
    }

    private static func check(_ path: String) throws(RequestError.CauseError) {
        do throws(FileError) { _ = try OpenFile(path) } catch {
            throw RequestError.CauseError(.unreadableFile(error))
        }
    }
}

/// One part of a multipart form.
public struct MultipartPart: Sendable, Hashable {
    /// The source of the bytes of a part.
    public enum Source: Sendable, Hashable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// The bytes of a file, which is read while it is sent.
        case file(path: String)
    }

    /// The name of the form's field.
    public var name: String
    /// The source of its bytes; a file is read while it is sent.
    public var source: Source
    /// The file name that is sent; if it is nil, the last part of the path for a file, and none for bytes.
    public var filename: String?
    /// Nil: `application/octet-stream` if a file name is sent (RFC 7578 4.4), otherwise none.
    public var contentType: String?

    /// - Parameters are those of the properties.
    public init(name: String, source: Source, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.source = source
        self.filename = filename
        self.contentType = contentType
    }

    /// The file name as it is sent.
    package var sentFilename: String? {
        if let filename { return filename }
        guard case .file(let path) = source else { return nil }
        return path.split(separator: "/").last.map(String.init)
    }

    /// The content type as it is sent.
    package var sentContentType: String? {
        contentType ?? (sentFilename == nil ? nil : "application/octet-stream")
    }

    fileprivate var problem: String? {
        for (what, text) in [("name", name), ("file name", filename ?? "")] where text.utf8.contains(0) {
            return "the \(what) '\(text.printable)' of a part contains a NUL"
        }
        return contentType.flatMap { Headers.problem(inValue: $0) }
            .map { "the content type of part '\(name.printable)' \($0)" }
    }
}
