extension RequestError {
    /// The cause of a failed request, if the engine knows it (rules 20.6–20.8, and the causes of transports
    /// and scripts).
    public indirect enum Cause: Sendable {
        /// The URL of the request, or its text, can't be requested.
        case invalidURL(source: String?)
        /// The body's text has characters that its encoding lacks.
        case unencodableText(encoding: String, text: RawText)
        /// The body can't be written as JSON.
        case invalidJSONObject(message: String)
        /// A name or a value of a form is no text.
        case notURLEncodable(string: RawText)
        /// The method is no token (RFC 9110 9.1).
        case invalidRequestMethod(method: String)
        /// An invalid definition; the request was not sent.
        case invalidDefinition(DefinitionError)
        /// An invalid header of a Swift program; for a script it is a ``scriptError(_:)`` with the line.
        case invalidHeader(message: String)
        /// The request was cancelled, or the task that waited for it.
        case requestCancelled
        /// The server answered 304, and there is no data that it could mean.
        case noLocalDataFor304
        /// The response names a charset that is unknown here.
        case invalidTextEncoding(name: String)
        /// The body is not text in the charset that the response names.
        case undecodableText(encoding: String)
        /// The body is a JSON value of another kind than an object or an array.
        case jsonNotObjectOrArray(actual: String)
        /// The body is not JSON; `offset` is in bytes.
        case malformedJSON(offset: Int, message: String)
        /// The body is not what its content type says, such as XML or CSV.
        case malformedContent(FormatError)
        /// The body is no image of a known format.
        case unparsableImage
        /// The content doesn't match the schema of the configuration in `count` places; 0: it couldn't be
        /// checked.
        case schemaMismatch(count: Int, message: String)
        /// A transformer got a content of another type than it takes.
        case wrongInputType(expected: String, actual: String, transformer: String)
        /// A transformer returned a value of the wrong type.
        case wrongOutputType(expected: String, actual: String, transformer: String)
        /// A transformer of errors gave no content.
        case transformerReturnedNil(transformer: String)
        /// The content can't be decoded into the Swift type.
        case undecodableContent(CodingError)
        /// A function of a script raised an error.
        case scriptError(ScriptFailure)
        /// A function of a script exceeded a limit: of time, memory or instructions.
        case scriptLimit(budget: String, used: Double, limit: Double, failure: ScriptFailure)
        /// There was another redirect after `limit` redirects.
        case tooManyRedirects(limit: Int)
        /// A file of the request's body can't be read.
        case unreadableFile(FileError)
        /// The file for the response's body can't be written.
        case unwritableFile(FileError)
        /// There is no answer of the server.
        case transport(TransportError)
        /// Another error of a Swift function, as text.
        case `internal`(message: String)
        /// A cause that a script made with `rest.error{ cause = … }`.
        case custom(type: String, fields: Tree)
    }

    /// The failure of a function of a script or a Swift program, with its location.
    public struct ScriptFailure: Sendable, Equatable {
        /// The fault, in one sentence.
        public var message: String
        /// The file of the failure, if it is known.
        public var file: String?
        /// The line of the failure, counted from 1.
        public var line: Int?
        /// The call stack, one call per line.
        public var traceback: String?

        package init(message: String, file: String? = nil, line: Int? = nil, traceback: String? = nil) {
            self.message = message
            self.file = file
            self.line = line
            self.traceback = traceback
        }

        public var description: String {
            guard let file else { return message }
            return "\(file):\(line ?? 0): \(message)"
        }
    }
}

extension RequestError.Cause {
    /// The name of the cause for scripts and metrics.
    public var code: String {
        switch self {
        case .invalidURL: "invalid_url"
        case .unencodableText: "unencodable_text"
        case .invalidJSONObject: "invalid_json_object"
        case .notURLEncodable: "not_url_encodable"
        case .invalidRequestMethod: "invalid_request_method"
        case .invalidDefinition: "invalid_definition"
        case .requestCancelled: "request_cancelled"
        case .noLocalDataFor304: "no_local_data_for_304"
        case .invalidTextEncoding: "invalid_text_encoding"
        case .undecodableText: "undecodable_text"
        case .jsonNotObjectOrArray: "json_not_object_or_array"
        case .malformedJSON: "malformed_json"
        case .malformedContent: "malformed_content"
        case .unparsableImage: "unparsable_image"
        case .schemaMismatch: "schema_mismatch"
        // Both have one name, because the list for scripts is closed.
        case .wrongInputType, .wrongOutputType: "wrong_input_type"
        case .transformerReturnedNil: "transformer_returned_nil"
        case .undecodableContent: "undecodable_content"
        case .scriptError: "script_error"
        case .scriptLimit: "script_limit"
        case .tooManyRedirects: "too_many_redirects"
        case .transport(let error): error.code.rawValue
        // The list of causes for scripts is closed, and has none for files and headers.
        case .unreadableFile, .unwritableFile, .invalidHeader, .internal: "internal"
        case .custom(let type, _): type
        }
    }

    /// The fixed messages of 20.9, and one for each cause that Siesta doesn't know.
    var userMessage: String { ownMessage ?? "Request failed" }

    /// Nil if the cause has no message for people: a script's cause without a message.
    var ownMessage: String? {
        switch self {
        case .invalidURL: "Cannot send request with invalid URL"
        case .unencodableText, .invalidJSONObject, .notURLEncodable, .unreadableFile, .invalidHeader:
            "Cannot send request"
        case .unwritableFile: "Cannot save the response"
        case .invalidRequestMethod, .invalidDefinition: "Cannot create request"
        case .requestCancelled: "Request cancelled"
        case .noLocalDataFor304: "No data available"
        case .invalidTextEncoding, .undecodableText, .jsonNotObjectOrArray, .malformedJSON,
            .malformedContent, .unparsableImage,
            .wrongInputType, .wrongOutputType, .transformerReturnedNil, .undecodableContent:
            RequestError.unparsableMessage
        case .schemaMismatch: "Unexpected server response"
        case .scriptError: "Script error"
        case .scriptLimit: "Script used more than its limit"
        case .tooManyRedirects: "Too many redirects"
        case .transport(let error): error.message
        case .internal: "Request failed"
        case .custom(let type, let fields):
            fields["message"]?.string ?? Self.userMessages[type]
        }
    }

    /// The messages of the engine's own causes, for a script's error that names one (20.2).
    private static let userMessages: [String: String] = {
        let script = RequestError.ScriptFailure(message: "")
        let causes: [RequestError.Cause] = [
            .invalidURL(source: nil), .unencodableText(encoding: "", text: ""),
            .invalidJSONObject(message: ""),
            .notURLEncodable(string: ""), .invalidRequestMethod(method: ""), .requestCancelled,
            .noLocalDataFor304, .invalidTextEncoding(name: ""), .undecodableText(encoding: ""),
            .jsonNotObjectOrArray(actual: ""), .malformedJSON(offset: 0, message: ""),
            .malformedContent(FormatError("", at: nil, "")), .unparsableImage,
            .schemaMismatch(count: 0, message: ""),
            .wrongInputType(expected: "", actual: "", transformer: ""),
            .transformerReturnedNil(transformer: ""),
            .scriptError(script), .scriptLimit(budget: "", used: 0, limit: 0, failure: script),
            .tooManyRedirects(limit: 0),
        ]
        return Dictionary(uniqueKeysWithValues: causes.map { ($0.code, $0.userMessage) })
    }()
}
