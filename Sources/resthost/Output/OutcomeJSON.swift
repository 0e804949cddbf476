import RestEngine

/// The outcome of a request as one JSON object, for `--json`.
@EngineActor
enum OutcomeJSON {
    /// - Returns: The text, and nil unless a script made content that has no form in JSON. In that case the
    ///   text is a failure.
    static func text(_ info: ResponseInfo, _ request: Request, hint: String? = nil) -> (String, JSONError?) {
        let outcome = outcome(info, request, hint: hint)
        do throws(JSONError) { return (String(decoding: try outcome.json(), as: UTF8.self), nil) } catch {
            let sentence = "the content has no form in JSON: \(error.message)"
            let failure: Tree = ["message": Tree(sentence), "code": "script_error", "detail": Tree(sentence)]
            return (Tree(pairs: [("ok", false), ("error", failure)]).description, error)
        }
    }

    private static func outcome(_ info: ResponseInfo, _ request: Request, hint: String?) -> Tree {
        var pairs: [(String, Tree)] = [("ok", Tree(info.response.error == nil))]
        if let exchange = request.exchange {
            pairs += head(exchange.status, exchange.url, exchange.httpVersion, exchange.headers)
            pairs.append(("timing", timing(exchange.timings)))
        } else if let entity = info.response.entity, let status = entity.status {
            // The data is from a cache, so there is no exchange.
            pairs += head(status, entity.url, entity.httpVersion, entity.headers)
        }
        let attempts = request.attempts
        if attempts.count > 1 || attempts.first?.error != nil {
            pairs.append(("attempts", Tree(attempts.map(attempt))))
        }
        switch info.response {
        case .success(let entity): pairs += content(of: entity)
        case .failure(let error): pairs.append(("error", self.error(error, hint)))
        }
        return Tree(pairs: pairs)
    }

    private static func head(
        _ status: Int, _ url: String?, _ version: String?, _ headers: Headers
    ) -> [(String, Tree)] {
        var pairs = [("status", Tree(status))]
        if let url { pairs.append(("url", Tree(SecretMask.standard.url(url)))) }
        if let number = version?.split(separator: "/").last {
            pairs.append(("http_version", Tree(String(number))))
        }
        pairs.append(("headers", self.headers(headers)))
        return pairs
    }

    private static func content(of entity: Entity) -> [(String, Tree)] {
        let kind = ("content_kind", Tree(entity.content.kind))
        switch entity.content {
        case .json(let tree), .value(let tree): return [kind, ("content", tree)]
        case .text(let text): return [kind, ("content", Tree(text))]
        case .bytes(let bytes):
            if let text = String(validating: bytes, as: UTF8.self) { return [kind, ("content", Tree(text))] }
            return [kind, ("content_bytes", Tree(bytes.count))]
        case .image(let image):
            return [
                kind, ("format", Tree(image.format.rawValue)), ("width", Tree(image.width)),
                ("height", Tree(image.height)),
            ]
        case .native: return [kind]
        }
    }

    private static func error(_ error: RequestError, _ hint: String?) -> Tree {
        var pairs: [(String, Tree)] = [
            ("message", Tree(SecretMask.standard.line(error.userMessage))), ("code", Tree(error.code)),
            ("detail", Tree(error.description)),
            ("attempt", Tree(error.attempt)),
        ]
        if let status = error.httpStatusCode { pairs.append(("status", Tree(status))) }
        if let url = error.url { pairs.append(("url", Tree(SecretMask.standard.url(url)))) }
        if let method = error.method { pairs.append(("method", Tree(method))) }
        if let hint { pairs.append(("hint", Tree(hint))) }
        if let entity = error.entity { pairs += content(of: entity) }
        return Tree(pairs: pairs)
    }

    private static func attempt(_ attempt: RequestAttempt) -> Tree {
        var pairs: [(String, Tree)] = [
            ("number", Tree(attempt.number)), ("method", Tree(attempt.method)),
            ("url", Tree(SecretMask.standard.url(attempt.url))),
        ]
        if let status = attempt.status { pairs.append(("status", Tree(status))) }
        if let error = attempt.error { pairs.append(("error", Tree(error.code.rawValue))) }
        if let reason = attempt.reason { pairs.append(("reason", Tree("\(reason)"))) }
        if attempt.waitedSeconds > 0 { pairs.append(("waited", Tree(attempt.waitedSeconds))) }
        if attempt.queuedSeconds > 0 { pairs.append(("queued", Tree(attempt.queuedSeconds))) }
        if let address = attempt.remoteAddress { pairs.append(("remote_address", Tree(address))) }
        pairs.append(("timing", timing(attempt.timings)))
        return Tree(pairs: pairs)
    }

    private static func headers(_ headers: Headers) -> Tree {
        Tree(
            pairs: headers.fields.map {
                ($0.name.lowercased(), Tree(SecretMask.standard.header($0.name, $0.value)))
            })
    }

    private static func timing(_ timings: TransferTimings) -> Tree {
        Tree(
            pairs: [
                ("name_lookup", Tree(timings.nameLookupSeconds)), ("connect", Tree(timings.connectSeconds)),
                ("tls", Tree(timings.tlsSeconds)), ("first_byte", Tree(timings.firstByteSeconds)),
                ("total", Tree(timings.totalSeconds)),
                ("bytes_received", Tree(timings.bytesReceived)),
                ("connection_reused", Tree(timings.isConnectionReused)),
            ])
    }
}
