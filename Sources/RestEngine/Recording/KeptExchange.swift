import Platform

/// A message to an API and its answer: headers, and the beginnings of bodies of text (rules 76).
package struct KeptExchange: Sendable {
    package let service: String?
    /// Without bodies.
    private let attempt: EngineEvent.Attempt
    /// The head of the request, as it was sent.
    private let sent: Headers
    private let options: TransportOptions?
    private let answer: TransportResponse?
    private let body: KeptBody
    private let answerBody: KeptBody?

    /// Nil for other kinds of events.
    @EngineActor
    init?(_ event: EngineEvent) {
        guard case .attempt(let attempt) = event.detail,
            case .attempt(let bare) = event.withoutBodies.detail
        else { return nil }
        service = event.service
        self.attempt = bare
        let message = attempt.message
        sent = attempt.transport?.fields(of: message) ?? message.headers
        options = attempt.transport?.options
        let type = message.headers["Content-Type"]
        body =
            switch message.upload {
            case nil: KeptBody(message.body ?? [], count: message.body?.count ?? 0, message.headers)
            case .file(let path): KeptBody(type: type, reason: "it is the file \(path)")
            case .stream: KeptBody(type: type, reason: "it was sent as it came")
            case .multipart(let parts):
                KeptBody(
                    type: type, reason: "it is a form of \(parts.map(\.name).joined(separator: ", "))")
            }
        if let delivered = attempt.delivered {
            answer = delivered.response
            answerBody = KeptBody(delivered.bytes, count: delivered.count, delivered.response.headers)
        } else if case .success(var response) = attempt.result {
            answerBody = KeptBody(response.body, count: response.body.count, response.headers)
            response.body = []
            answer = response
        } else {
            (answer, answerBody) = (nil, nil)
        }
    }

    /// Besides the event itself.
    var heldBytes: Int { 512 + sent.heldBytes + body.heldBytes + (answerBody?.heldBytes ?? 0) }

    /// Everything for people, with secrets masked.
    ///
    /// - Parameter base: The base URL of the service, if it still exists.
    package func tree(_ base: BaseURL?) -> Tree {
        let mask = SecretMask.standard.hidingCredentials(of: attempt.message, answer)
        let message = attempt.message
        var pairs: [(String, Tree)] = [
            ("number", Tree(attempt.number)), ("began", Tree(attempt.began)),
            ("method", Tree(message.method)), ("url", Tree(mask.url(message.url))),
            ("headers", Self.tree(sent, mask)),
        ]
        if let body = Self.tree(body, mask) { pairs.append(("body", body)) }
        if let answer {
            var fields: [(String, Tree)] = [
                ("status", Tree(answer.status)), ("headers", Self.tree(answer.headers, mask)),
            ]
            if let body = answerBody.flatMap({ Self.tree($0, mask) }) { fields.append(("body", body)) }
            pairs.append(("answer", Tree(pairs: fields)))
        }
        if let curl = curl(mask) { pairs.append(("curl", Tree(curl))) }
        pairs.append(("definition", Tree(definition(base, mask))))
        return Tree(pairs: pairs)
    }

    private static func tree(_ headers: Headers, _ mask: SecretMask) -> Tree {
        Tree(headers.fields.map { Tree([Tree($0.name), Tree(mask.header($0.name, $0.value))]) })
    }

    /// Nil for no body.
    private static func tree(_ body: KeptBody, _ mask: SecretMask) -> Tree? {
        guard body.count != 0 else { return nil }
        var pairs: [(String, Tree)] = []
        if let count = body.count { pairs.append(("size", Tree(count))) }
        if let type = body.type { pairs.append(("type", Tree(type))) }
        if let (text, isCut) = body.shown(mask) {
            pairs += [("text", Tree(text)), ("cut", Tree(isCut))]
        } else if let reason = body.reason {
            pairs.append(("reason", Tree(mask.line(reason))))
        }
        return Tree(pairs: pairs)
    }

    /// A body that was not kept is read from a file `body`.
    private func curl(_ mask: SecretMask) -> String? {
        let message = attempt.message
        var draft = RequestDraft(method: message.method, url: message.url, headers: message.headers)
        if body.count != 0 {
            if let whole = body.whole(mask) { draft.body = whole } else { draft.upload = .file(path: "body") }
        }
        return (try? CurlCommand(draft, through: options, mask: mask))?.description
    }

    private func definition(_ base: BaseURL?, _ mask: SecretMask) -> String {
        let message = attempt.message
        var text = DefinitionText(message.method, mask.url(message.url), of: service, base)
        text.add(message.headers, mask)
        if body.count != 0 { text.add(body: body.whole(mask), body.type) }
        return text.description
    }
}

extension SecretMask {
    /// The mask that also hides the credentials of a message and its answer in their bodies.
    func hidingCredentials(of message: TransportRequest, _ answer: TransportResponse?) -> SecretMask {
        let mask = hiding(message.headers, url: message.url)
        guard let answer, answer.headers.contains("Set-Cookie") else { return mask }
        let fields = answer.headers.values("Set-Cookie").map { value in
            ("Set-Cookie", String(value.prefix { $0 != ";" }))
        }
        return mask.hiding(Headers(fields))
    }
}
