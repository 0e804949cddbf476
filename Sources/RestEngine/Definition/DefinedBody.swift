/// A body of a definition: encoded when it is defined, so that what happens to its source later changes
/// nothing. What can't be encoded is kept as an error, with which each request fails (rules 38.4, 38.5).
public struct DefinedBody: Sendable, Hashable {
    /// How the body was given; each has its content type (38.1).
    public enum Kind: String, Sendable {
        case body, text, json, form, multipart, file
    }

    /// How the body was given.
    public let kind: Kind
    /// Its author's content type, which belongs to it; nil: that of its kind, where no header says another.
    let contentType: String?
    let content: Result<Encoded, Failure>

    struct Encoded: Sendable, Hashable {
        let payload: RequestPayload
        let contentType: String
    }

    struct Failure: Error, Sendable, Hashable {
        let cause: RequestError.Cause

        static func == (a: Failure, b: Failure) -> Bool {
            a.cause.code == b.cause.code && a.cause.detail == b.cause.detail
        }

        func hash(into hasher: inout Hasher) { hasher.combine(cause.code) }
    }

    /// - Parameter contentType: Nil: that of its kind.
    public init(_ body: RequestBody, contentType: String? = nil) {
        kind = body.kind
        do throws(RequestError.CauseError) {
            let (payload, type) = try body.encode(contentType: contentType, checksFiles: false)
            content = .success(Encoded(payload: payload, contentType: type))
            self.contentType = contentType == nil ? nil : type
        } catch {
            content = .failure(Failure(cause: error.cause))
            self.contentType = contentType
        }
    }

    /// One that was found to be impossible before it could be a ``RequestBody``.
    public init(_ kind: Kind, failure: RequestError.Cause, contentType: String? = nil) {
        self.kind = kind
        self.contentType = contentType
        content = .failure(Failure(cause: failure))
    }

    /// The bytes that are sent; nil for what is read while it is sent, and for what can't be encoded.
    public var bytes: [UInt8]? {
        if case .success(let encoded) = content, case .bytes(let bytes) = encoded.payload {
            bytes
        } else {
            nil
        }
    }

    /// What is read while it is sent.
    public var upload: Upload? {
        if case .success(let encoded) = content, case .upload(let upload) = encoded.payload {
            upload
        } else {
            nil
        }
    }
}

extension RequestBody {
    /// As definitions call it.
    public var kind: DefinedBody.Kind {
        switch self {
        case .bytes, .stream: .body
        case .text: .text
        case .json: .json
        case .form: .form
        case .multipart: .multipart
        case .file: .file
        }
    }
}
