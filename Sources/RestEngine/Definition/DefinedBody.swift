/// A body of a definition. It is encoded when it is defined, so later changes of its source have no effect.
/// If it can't be encoded, the error is kept, and each request fails with it (rules 38.4, 38.5).
public struct DefinedBody: Sendable, Hashable {
    /// How the body was given; each has its content type (38.1).
    package enum Kind: String, Sendable {
        case body, text, json, form, multipart, file
    }

    /// How the body was given.
    package let kind: Kind
    /// The content type that the author gave for this body; nil: that of its kind, where no header sets
    /// another.
    let contentType: String?
    let content: Result<Encoded, Failure>

    struct Encoded: Sendable, Hashable {
        let fixed: RequestPayload
        /// The sequence that each request writes anew.
        var source: BodySource?
        let contentType: String

        /// The body of one request.
        var payload: RequestPayload { source.map { .upload(.stream($0.makePipe())) } ?? fixed }
    }

    struct Failure: Error, Sendable, Hashable {
        let cause: RequestError.Cause

        static func == (a: Failure, b: Failure) -> Bool {
            a.cause.code == b.cause.code && a.cause.detail == b.cause.detail
        }

        func hash(into hasher: inout Hasher) { hasher.combine(cause.code) }
    }

    /// - Parameter contentType: Nil: that of its kind.
    package init(_ body: RequestBody, contentType: String? = nil) {
        kind = body.kind
        do throws(RequestError.CauseError) {
            let (payload, type) = try body.encode(contentType: contentType, checksFiles: false)
            content = .success(Encoded(fixed: payload, contentType: type))
            self.contentType = contentType == nil ? nil : type
        } catch {
            content = .failure(Failure(cause: error.cause))
            self.contentType = contentType
        }
    }

    /// A body that is written anew for each request.
    package init(_ source: BodySource, contentType: String? = nil) {
        kind = .body
        self.contentType = contentType
        content = .success(
            Encoded(
                fixed: .none, source: source, contentType: contentType ?? "application/octet-stream"))
    }

    /// A body that turned out to be impossible before it could be a ``RequestBody``.
    package init(_ kind: Kind, failure: RequestError.Cause, contentType: String? = nil) {
        self.kind = kind
        self.contentType = contentType
        content = .failure(Failure(cause: failure))
    }

    /// The bytes that are sent; nil for a body that is read while it is sent, and for one that can't be
    /// encoded.
    public var bytes: [UInt8]? {
        if case .success(let encoded) = content, case .bytes(let bytes) = encoded.payload {
            bytes
        } else {
            nil
        }
    }

    /// The body that is read while it is sent; nil for any other.
    package var upload: Upload? {
        if case .success(let encoded) = content, case .upload(let upload) = encoded.payload {
            upload
        } else {
            nil
        }
    }
}

extension RequestBody {
    /// The kind of this body in definitions.
    package var kind: DefinedBody.Kind {
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
