/// One attempt as an entry of a HAR 1.2, with secrets masked (rule 48.2). It is made where the attempt ends,
/// and written on another thread: masking long bodies takes time.
struct HAREntry: Sendable {
    private let event: EngineEvent
    private let attempt: EngineEvent.Attempt
    /// The head of the request, as it was sent.
    private let sent: Headers
    /// The number of bytes of a body that are stored.
    var bodyLimit: Int
    private let mask: SecretMask
    private let digests: CredentialDigests?

    /// Nil for other kinds of events.
    @EngineActor
    init?(_ event: EngineEvent, bodyLimit: Int, _ digests: CredentialDigests? = nil) {
        guard case .attempt(let attempt) = event.detail else { return nil }
        self.event = event
        self.attempt = attempt
        let answer = attempt.delivered?.response ?? (try? attempt.result.get())
        var sent = attempt.transport?.fields(of: attempt.message) ?? attempt.message.headers
        // A body in frames needs none (RFC 9113 8.2.2).
        if answer?.httpVersion.hasPrefix("HTTP/2") == true { sent.remove("Transfer-Encoding") }
        self.sent = sent
        self.bodyLimit = bodyLimit
        self.digests = digests
        // A body may contain a secret of the request's head.
        mask = SecretMask.standard.hidingCredentials(of: attempt.message, answer)
    }

    /// Bytes of all bodies in the entry.
    var bodyBytes: Int {
        let received = attempt.delivered?.bytes.count ?? (try? attempt.result.get())?.body.count ?? 0
        return received + (attempt.message.body?.count ?? 0)
    }

    var tree: Tree {
        let timings = HARTimings(attempt)
        var pairs: [(String, Tree)] = [
            ("startedDateTime", Tree(InternetTime.text(attempt.began, withMilliseconds: true) ?? "")),
            ("time", Tree(timings.sum)), ("request", request), ("response", response),
            ("cache", Tree(pairs: [])), ("timings", timings.tree),
        ]
        if let service = event.service { pairs.append(("_service", Tree(service))) }
        if let number = event.request { pairs.append(("_request", Tree(number))) }
        pairs.append(("_attempt", Tree(attempt.number)))
        if let reason = attempt.reason { pairs.append(("_reason", Tree(reason))) }
        if let credentials, !credentials.isEmpty {
            pairs.append(("_credentials", Tree(credentials.sorted().map { Tree($0) })))
        }
        return Tree(pairs: pairs)
    }

    private var credentials: Set<String>? {
        let message = attempt.message
        return digests?.all(
            message.headers, url: message.url, body: message.body ?? [], message.headers["Content-Type"])
    }

    private var version: String {
        (attempt.delivered?.response ?? (try? attempt.result.get()))?.httpVersion ?? ""
    }

    // MARK: The request

    private var request: Tree {
        let message = attempt.message
        let url = mask.url(String(message.url.prefix { $0 != "#" }))
        let query = URLText(url)?.parameters ?? []
        var pairs: [(String, Tree)] = [
            ("method", Tree(message.method)), ("url", Tree(url)), ("httpVersion", Tree(version)),
            ("cookies", HARCookies.sent(message.headers["Cookie"])),
            ("headers", headers(sent)),
            (
                "queryString",
                Tree(
                    query.map { item in
                        let (name, value) = item.text.divided(at: "=")
                        return Self.pair(
                            PercentEncoding.decode(name) ?? name, PercentEncoding.decode(value) ?? value)
                    })
            ),
        ]
        if let data = postData { pairs.append(("postData", data)) }
        pairs.append(("headersSize", -1))
        pairs.append(("bodySize", message.body.map { Tree($0.count) } ?? (message.upload == nil ? 0 : -1)))
        return Tree(pairs: pairs)
    }

    private var postData: Tree? {
        let message = attempt.message
        let type = message.headers["Content-Type"]
        var pairs: [(String, Tree)] = [("mimeType", Tree(type ?? ""))]
        if let body = message.body {
            guard body.count <= bodyLimit else {
                pairs.append(("text", ""))
                pairs.append(("comment", Tree("\(body.count) bytes, more than are kept")))
                return Tree(pairs: pairs)
            }
            if let coding = Self.coding(of: message.headers) {
                pairs += [("text", ""), ("comment", Tree(Self.unmaskable(body.count, coding)))]
                if let digest = digests?.whole(body) { pairs.append(("_digest", Tree(digest))) }
                return Tree(pairs: pairs)
            }
            let shown = mask.body(body, type)
            if let text = String(validating: shown, as: UTF8.self) {
                pairs.append(("text", Tree(text)))
            } else {
                pairs.append(("text", Tree(Base64.encode(shown))))
                pairs.append(("_encoding", "base64"))
            }
            return Tree(pairs: pairs)
        }
        switch message.upload {
        case nil: return nil
        case .file(let path):
            pairs += [("text", ""), ("comment", Tree("the file \(mask.line(path))"))]
        case .stream: pairs += [("text", ""), ("comment", "sent as it came")]
        case .multipart(let parts): pairs.append(("params", Tree(parts.map(param))))
        }
        return Tree(pairs: pairs)
    }

    private func param(_ part: MultipartPart) -> Tree {
        var pairs: [(String, Tree)] = [("name", Tree(part.name))]
        if case .bytes(let bytes) = part.source, bytes.count <= bodyLimit,
            let text = String(validating: bytes, as: UTF8.self)
        {
            pairs.append(("value", Tree(mask.hides(part.name) ? SecretMask.text : mask.line(text))))
        }
        if let name = part.sentFilename { pairs.append(("fileName", Tree(name))) }
        if let type = part.sentContentType { pairs.append(("contentType", Tree(type))) }
        return Tree(pairs: pairs)
    }

    // MARK: The answer

    private var response: Tree {
        let received = (try? attempt.result.get())?.timings.bytesReceived ?? 0
        if let delivered = attempt.delivered {
            return answered(
                delivered.response, content(delivered), received,
                attempt.result.error.map(failure) ?? [])
        }
        switch attempt.result {
        case .success(let response): return answered(response, content(response), received, [])
        case .failure(let error):
            // The same form as Chrome writes for a request without an answer.
            return Tree(
                pairs: [
                    ("status", 0), ("statusText", ""), ("httpVersion", ""), ("cookies", Tree([])),
                    ("headers", Tree([])),
                    ("content", Tree(pairs: [("size", 0), ("mimeType", "x-unknown")])), ("redirectURL", ""),
                    ("headersSize", -1), ("bodySize", -1),
                ] + failure(error))
        }
    }

    private func answered(
        _ response: TransportResponse, _ content: Tree, _ received: Int64, _ failure: [(String, Tree)]
    ) -> Tree {
        let location = response.headers["Location"].map { mask.header("Location", $0) } ?? ""
        return Tree(
            pairs: [
                ("status", Tree(response.status)),
                ("statusText", Tree(StatusPhrase.known(response.status) ?? "")),
                ("httpVersion", Tree(response.httpVersion)),
                ("cookies", HARCookies.set(response.headers.values("Set-Cookie"), at: attempt.began)),
                ("headers", headers(response.headers)), ("content", content),
                ("redirectURL", Tree(location)), ("headersSize", -1),
                ("bodySize", Tree(received > 0 ? received : -1)),
            ] + failure)
    }

    private func failure(_ error: TransportError) -> [(String, Tree)] {
        let code = attempt.isCancelled ? RecordedExchange.cancelled : error.code.rawValue
        return [("_error", Tree(code)), ("_message", Tree(mask.line(error.description)))]
            + (error.phase.map { [("_phase", Tree($0.rawValue))] } ?? [])
            // Otherwise a replay would not repeat the request that was sent again (rule 41.10).
            + (error.isStaleConnection ? [("_stale", true)] : [])
    }

    private func content(_ delivered: DeliveredBody) -> Tree {
        let type = delivered.response.headers["Content-Type"]
        guard delivered.isWhole else { return leftOut(delivered.count, type) }
        if delivered.count > 0, let coding = Self.coding(of: delivered.response.headers) {
            return Tree(pairs: [
                ("size", Tree(delivered.count)), ("mimeType", Tree(type ?? "x-unknown")),
                ("comment", Tree(Self.unmaskable(delivered.count, coding))),
            ])
        }
        var response = delivered.response
        response.body = delivered.bytes
        return content(response)
    }

    private func leftOut(_ count: Int, _ type: String?) -> Tree {
        Tree(pairs: [
            ("size", Tree(count)), ("mimeType", Tree(type ?? "x-unknown")),
            ("comment", Tree("\(count) bytes, more than are kept")), ("_truncated", true),
        ])
    }

    private static func unmaskable(_ count: Int, _ coding: String) -> String {
        "\(count) bytes, encoded as \(coding), in which no secret can be masked"
    }

    /// The content coding of a body that is not decoded.
    private static func coding(of headers: Headers) -> String? {
        headers["Content-Encoding"].flatMap { $0.lowercased() == "identity" ? nil : $0 }
    }

    /// Text with a declared charset stays text; other content becomes base64, because HAR contains only
    /// Unicode.
    private func content(_ response: TransportResponse) -> Tree {
        let type = response.headers["Content-Type"]
        guard response.body.count <= bodyLimit else { return leftOut(response.body.count, type) }
        var pairs: [(String, Tree)] = [
            ("size", Tree(response.body.count)), ("mimeType", Tree(type ?? "x-unknown")),
        ]
        let shown = mask.body(response.body, type)
        if let text = Self.text(shown, type) {
            pairs.append(("text", Tree(text)))
        } else {
            pairs.append(("text", Tree(Base64.encode(shown))))
            pairs.append(("encoding", "base64"))
        }
        return Tree(pairs: pairs)
    }

    private static func text(_ bytes: [UInt8], _ type: String?) -> String? {
        let media = MediaType(type ?? "")
        let isPlain = bytes.allSatisfy { $0 < 0x80 && $0 != 0 }
        guard isPlain || media.isJSON || media.charset == "utf-8" else { return nil }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    // MARK: Parts

    private func headers(_ headers: Headers) -> Tree {
        Tree(headers.fields.map { Self.pair($0.name, mask.header($0.name, $0.value)) })
    }

    private static func pair(_ name: String, _ value: String) -> Tree {
        Tree(pairs: [("name", Tree(name)), ("value", Tree(value))])
    }
}

/// The durations of the phases in milliseconds; -1 for a phase that did not occur.
private struct HARTimings {
    private var parts: [(name: String, milliseconds: Double)]
    private let tls: Double

    init(_ attempt: EngineEvent.Attempt) {
        var times = (try? attempt.result.get().timings) ?? TransferTimings()
        // The transport doesn't measure, or there was no answer.
        if times.totalSeconds == 0 { times.totalSeconds = attempt.seconds }
        if times.firstByteSeconds == 0 { times.firstByteSeconds = times.totalSeconds }
        // curl's times are from the start, and zero for phases that did not occur.
        let named = max(times.nameLookupSeconds, times.queueSeconds)
        let connected = max(times.connectSeconds, named)
        let secured = max(times.tlsSeconds, connected)
        let first = max(times.firstByteSeconds, secured)
        func since(_ end: Double, _ start: Double, _ happened: Bool = true) -> Double {
            happened ? ((end - start) * 1e6).rounded() / 1000 : -1
        }
        tls = since(secured, connected, times.tlsSeconds > 0)
        parts = [
            ("blocked", since(times.queueSeconds, 0, times.queueSeconds > 0)),
            ("dns", since(named, times.queueSeconds, times.nameLookupSeconds > 0)),
            ("connect", since(secured, named, times.connectSeconds > 0)), ("send", 0),
            ("wait", since(first, secured)), ("receive", since(max(times.totalSeconds, first), first)),
        ]
    }

    /// The time of connecting includes that of TLS.
    var sum: Double { parts.reduce(0) { $0 + max(0, $1.milliseconds) } }

    var tree: Tree {
        Tree(pairs: parts.map { ($0.name, Tree($0.milliseconds)) } + [("ssl", Tree(tls))])
    }
}

extension String {
    /// The text before and after the first `mark`; without one, the whole text and an empty one.
    fileprivate func divided(at mark: Character) -> (String, String) {
        guard let place = firstIndex(of: mark) else { return (self, "") }
        return (String(self[..<place]), String(self[index(after: place)...]))
    }
}
