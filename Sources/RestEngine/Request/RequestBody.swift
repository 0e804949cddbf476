/// A body, by kind; each kind has its content type (rules 6).
public enum RequestBody: Sendable {
    /// Bytes as they are.
    case bytes([UInt8])
    /// `charset` is an IANA name, or a common alias of one.
    case text(String, charset: String)
    /// An object or an array.
    case json(Tree)
    /// Names and values of a form; names may be repeated. The encoded pairs are sorted as text (6.6), or stay
    /// in their order.
    case form([(String, String)], isOrdered: Bool = false)
    /// A form with files (RFC 7578).
    case multipart([MultipartPart])
    /// The bytes of a regular file.
    case file(path: String)
    /// Bytes that are written while they are sent; such a request is sent once (rule 69.4).
    case stream(BodyPipe)

    /// The body as it is sent, and its content type: the caller's, if there is one. That of a text includes
    /// its charset (6.4).
    ///
    /// - Parameter checksFiles: False if the files are read, and checked, later.
    func encode(
        contentType: String? = nil, checksFiles: Bool = true
    ) throws(RequestError.CauseError) -> (payload: RequestPayload, contentType: String) {
        let (payload, ownType) = try encodeByKind()
        if checksFiles, case .upload(let upload) = payload { try upload.check() }
        guard let contentType else { return (payload, ownType) }
        guard case .text(_, let charset) = self, MediaType(contentType).charset == nil else {
            return (payload, contentType)
        }
        return (payload, "\(contentType); charset=\(TextCharset.ianaName(charset))")
    }

    private func encodeByKind() throws(RequestError.CauseError) -> (
        payload: RequestPayload, contentType: String
    ) {
        switch self {
        case .bytes(let bytes): return (.bytes(bytes), "application/octet-stream")
        case .text(let text, let charset):
            guard let encoded = TextCharset(charset)?.encode(text) else {
                throw RequestError.CauseError(.unencodableText(encoding: charset, text: RawText(text)))
            }
            return (.bytes(encoded), "text/plain; charset=\(TextCharset.ianaName(charset))")
        case .json(let tree):
            return (.bytes(try Self.json(tree)), "application/json")
        case .form(let pairs, let isOrdered):
            let text = FormEncoding.encode(pairs, isOrdered: isOrdered)
            return (.bytes(Array(text.utf8)), "application/x-www-form-urlencoded")
        case .multipart(let parts): return (.upload(.multipart(parts)), "multipart/form-data")
        case .file(let path): return (.upload(.file(path: path)), "application/octet-stream")
        case .stream(let pipe): return (.upload(.stream(pipe)), "application/octet-stream")
        }
    }

    private static func json(_ tree: Tree) throws(RequestError.CauseError) -> [UInt8] {
        // A general table of Lua is rejected by the encoder, whose error is more specific.
        guard [.object, .array, .table].contains(tree.kind) else {
            throw RequestError.CauseError(
                .invalidJSONObject(
                    message: "a body in JSON is an object or an array, not a \(tree.kind.typeName)"))
        }
        do throws(JSONError) { return try tree.json() } catch {
            throw RequestError.CauseError(.invalidJSONObject(message: error.message))
        }
    }
}

extension RequestBody {
    /// A Swift value as JSON; it must make an object or an array (rule 6.5).
    ///
    /// - Throws: ``CodingError`` for a value that has no form in JSON.
    public static func json<Value: Encodable>(
        encoding value: Value, encoder: TreeEncoder = TreeEncoder()
    ) throws(CodingError) -> RequestBody {
        .json(try encoder.encode(value))
    }
}

extension Resource {
    /// Starts a request with a Swift value as its JSON body. If the value has no form in JSON, the request
    /// fails with cause `invalid_json_object`, and is not sent (6.5).
    @discardableResult
    public func request(
        _ method: Method, json value: some Encodable & Sendable, encoder: TreeEncoder = TreeEncoder(),
        query: KeyValuePairs<String, String?> = [:], headers: Headers = [:], timeout: Duration? = nil
    ) -> Request {
        var options = RequestOptions()
        options.query = RequestOptions.grouped(query)
        options.headers = headers
        options.timeout = timeout
        do throws(CodingError) {
            options.body = .json(try encoder.encode(value))
        } catch {
            return failedRequest(.invalidJSONObject(message: error.description), method: method.rawValue)
        }
        return request(method, options)
    }
}
