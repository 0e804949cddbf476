import RestEngine

/// Reads a cause that a script gives back, which ``ScriptValues/pushCause(of:on:)`` made. An error with the
/// cause of another error has the same message, and the gateway treats it in the same way.
struct CauseFields {
    static let outputSide = "output"

    private let fields: Tree
    /// The fields that have been read.
    private var known: Set<String> = ["type"]

    private init(_ fields: Tree) { self.fields = fields }

    /// Nil for a cause of the script's own: one with another type, with a missing detail, or with further
    /// fields.
    static func read(_ fields: Tree) -> (cause: RequestError.Cause, place: ScriptLocation?)? {
        var reader = CauseFields(fields)
        guard let type = fields["type"]?.string, let cause = reader.cause(type) else { return nil }
        var place: ScriptLocation?
        if let file = reader.string("file"), let line = reader.integer("line") {
            place = ScriptLocation(file: file, line: line)
        }
        for (key, _) in fields.pairs where !reader.known.contains(key) { return nil }
        return (cause, place)
    }

    private mutating func cause(_ type: String) -> RequestError.Cause? {
        switch type {
        case "malformed_json":
            guard let offset = integer("offset"), let message = string("message") else { return nil }
            return .malformedJSON(offset: offset, message: message)
        case "schema_mismatch":
            guard let count = integer("count"), let message = string("message") else { return nil }
            return .schemaMismatch(count: count, message: message)
        case "malformed_content": return malformedContent()
        case "script_error": return failure().map { .scriptError($0) }
        case "script_limit":
            guard let budget = string("budget"), let used = number("used"), let limit = number("limit"),
                let failure = failure()
            else { return nil }
            return .scriptLimit(budget: budget, used: used, limit: limit, failure: failure)
        case "too_many_redirects": break
        // Its message may name a file and must not reach clients, so it stays a cause of the script's own.
        case "internal": return nil
        default:
            if let code = TransportError.Code(rawValue: type), code != .invalidURL { return transport(code) }
        }
        known.insert("message")
        return plainCause(type)
    }

    /// Causes whose message follows from their other fields.
    private mutating func plainCause(_ type: String) -> RequestError.Cause? {
        switch type {
        case "invalid_url": return .invalidURL(source: string("source"))
        case "unencodable_text":
            guard let encoding = string("encoding"), let text = text("text") else { return nil }
            return .unencodableText(encoding: encoding, text: text)
        case "invalid_json_object": return string("message").map { .invalidJSONObject(message: $0) }
        case "not_url_encodable": return text("string").map { .notURLEncodable(string: $0) }
        case "invalid_request_method": return string("method").map { .invalidRequestMethod(method: $0) }
        case "no_local_data_for_304": return .noLocalDataFor304
        case "invalid_text_encoding": return string("name").map { .invalidTextEncoding(name: $0) }
        case "undecodable_text": return string("encoding").map { .undecodableText(encoding: $0) }
        case "json_not_object_or_array": return string("actual").map { .jsonNotObjectOrArray(actual: $0) }
        case "unparsable_image": return .unparsableImage
        case "wrong_input_type":
            guard let expected = string("expected"), let actual = string("actual"),
                let transformer = string("transformer")
            else { return nil }
            return string("side") == Self.outputSide
                ? .wrongOutputType(expected: expected, actual: actual, transformer: transformer)
                : .wrongInputType(expected: expected, actual: actual, transformer: transformer)
        case "transformer_returned_nil":
            return string("transformer").map { .transformerReturnedNil(transformer: $0) }
        case "too_many_redirects": return integer("count").map { .tooManyRedirects(limit: $0) }
        default: return nil
        }
    }

    private mutating func transport(_ code: TransportError.Code) -> RequestError.Cause? {
        guard let message = string("message") else { return nil }
        let phase = string("phase")
        let known = phase.flatMap { TransportError.Phase(rawValue: $0) }
        guard (phase == nil) == (known == nil) else { return nil }
        return .transport(
            TransportError(
                code, phase: known, message: message, limit: integer("limit"), reason: string("reason"),
                peer: string("peer"), retryAt: number("retry_at")))
    }

    private mutating func malformedContent() -> RequestError.Cause? {
        guard let format = string("format"), let message = string("message") else { return nil }
        var place: FormatError.Place?
        let line = integer("line")
        if let line, let column = integer("column") {
            place = .line(line, column: column)
        } else if let line, let row = integer("row") {
            place = .row(row, line: line)
        } else if let offset = integer("offset") {
            place = .byte(offset)
        }
        return .malformedContent(FormatError(format, at: place, message))
    }

    private mutating func failure() -> RequestError.ScriptFailure? {
        guard let message = string("message") else { return nil }
        return RequestError.ScriptFailure(
            message: message, file: string("file"), line: integer("line"), traceback: string("traceback"))
    }

    // MARK: Fields

    private mutating func field<Value>(_ key: String, _ read: (Tree) -> Value?) -> Value? {
        guard let value = fields[key].flatMap(read) else { return nil }
        known.insert(key)
        return value
    }

    private mutating func string(_ key: String) -> String? { field(key) { $0.string } }

    private mutating func integer(_ key: String) -> Int? { field(key) { $0.int.map { Int($0) } } }

    private mutating func number(_ key: String) -> Double? { field(key) { $0.double } }

    private mutating func text(_ key: String) -> RawText? {
        field(key) { $0.bytes.map { RawText(Array($0)) } }
    }
}
