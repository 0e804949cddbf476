import Platform

/// A request as a command line for a POSIX shell.
public struct CurlCommand: Sendable, CustomStringConvertible {
    private var text = "curl"
    /// A command before curl, ending with a pipe.
    private var source = ""

    public var description: String { source + text }

    private mutating func add(_ option: String, _ value: String) {
        text += " \(option) \(Self.quoted(value))"
    }

    /// The word in single quotes, within which a shell interprets no characters (POSIX 2.2.2).
    static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }

    /// The request as it would be sent now, with its cookies.
    ///
    /// - Parameters:
    ///   - mask: Nil shows all secrets.
    ///   - credentials: Those that a decorator has set.
    @EngineActor
    init(
        _ draft: RequestDraft, of resource: Resource, mask: SecretMask?, credentials: KnownCredentials? = nil
    ) throws(DefinitionError) {
        var draft = draft
        if let jar = resource.cookies, !draft.headers.contains("Cookie"), let url = URLText(draft.url),
            let cookies = jar.header(for: url, at: resource.engine.scheduler.now)
        {
            draft.headers.set("Cookie", cookies)
        }
        let configuration = resource.configuration(for: draft.method)
        let known = configuration.decorators.last(where: { $0.authorization != nil })?.authorization
        let credentials = credentials ?? known.map { .field($0) }
        let isOwn = draft.headers.contains("Authorization")
        if !isOwn, case .field(let header)? = credentials { draft.headers.set("Authorization", header) }
        try self.init(draft, mask: mask)
        if !isOwn, case .digest(let user)? = credentials {
            text += " --digest"
            add("-u", mask == nil ? user : SecretMask.text)
        }
        if let options = resource.core.transport.options { add(options, draft.headers, mask) }
    }

    /// Adds the options that send the request to another address than its URL says, or through a proxy.
    private mutating func add(_ options: TransportOptions, _ headers: Headers, _ mask: SecretMask?) {
        let usual = TransportOptions()
        if let path = options.unixSocket { add("--unix-socket", path) }
        if let proxy = options.proxy { add("--proxy", mask?.url(proxy) ?? proxy) }
        if let hosts = options.noProxy { add("--noproxy", hosts) }
        for (name, address) in options.addresses.sorted(by: { $0.key < $1.key }) {
            add("--resolve", "\(name):\(address)")
        }
        switch options.ip {
        case .any: break
        case .v4: text += " -4"
        case .v6: text += " -6"
        }
        if let path = options.caFile { add("--cacert", path) }
        if let path = options.caPath { add("--capath", path) }
        if let path = options.clientCertificate { add("--cert", path) }
        if let path = options.clientKey { add("--key", path) }
        if !options.pins.isEmpty { add("--pinnedpubkey", options.pins.joined(separator: ";")) }
        if let version = options.minTLS { text += " --tlsv\(version.rawValue)" }
        if !options.http2 { text += " --http1.1" }
        if options.userAgent != usual.userAgent, !headers.contains("User-Agent"),
            !headers.omitted.contains("user-agent")
        {
            add("-A", options.userAgent)
        }
    }

    /// A message as it was sent.
    ///
    /// - Parameter options: Those of its transport.
    init(
        _ draft: RequestDraft, through options: TransportOptions?, mask: SecretMask?
    ) throws(DefinitionError) {
        try self.init(draft, mask: mask)
        if let options { add(options, draft.headers, mask) }
    }

    /// - Parameter mask: Nil shows all secrets.
    init(_ draft: RequestDraft, mask: SecretMask?) throws(DefinitionError) {
        let mask = mask?.hiding(draft.headers, url: draft.url)
        switch (draft.method, draft.payload) {
        case ("GET", .none): break
        case ("HEAD", .none): text += " --head"
        default: text += " -X \(Method.isPlain(draft.method) ? draft.method : Self.quoted(draft.method))"
        }
        // Without this option curl reads brackets and braces of a URL as patterns.
        if draft.url.contains(where: { "[]{}".contains($0) }) { text += " -g" }
        text += " " + Self.quoted(mask?.url(draft.url) ?? draft.url)
        for field in draft.headers.fields where !Headers.framesMessage(field.name) {
            // A multipart form has a boundary, which curl makes.
            if isMultipart(draft.payload), field.name.equalsIgnoringCase("content-type") { continue }
            let value = mask?.header(field.name, field.value) ?? field.value
            add("-H", value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        for name in draft.headers.omitted.sorted() { add("-H", "\(name):") }
        try add(
            draft.payload, draft.headers["Content-Type"],
            omitsType: draft.headers.omitted.contains("content-type"), mask)
    }

    private mutating func add(
        _ payload: RequestPayload, _ type: String?, omitsType: Bool, _ mask: SecretMask?
    ) throws(DefinitionError) {
        switch payload {
        case .none: return
        case .bytes(let bytes):
            let shown = mask.map { $0.body(bytes, type) } ?? bytes
            // An argument of a command can't contain a NUL.
            if let plain = String(validating: shown, as: UTF8.self), !shown.contains(0) {
                add("--data-raw", plain)
            } else {
                source = "printf '\(Self.printed(shown))' | "
                text += " --data-binary @-"
            }
        case .upload(.file(let path)): add("--data-binary", "@\(path)")
        case .upload(.stream): add("--data-binary", "@-")
        case .upload(.multipart(let parts)):
            for part in parts { add("--form", try Self.form(part, mask)) }
        }
        // Prevents the header that curl would add by itself.
        if type == nil, !isMultipart(payload), !omitsType { add("-H", "Content-Type:") }
    }

    private func isMultipart(_ payload: RequestPayload) -> Bool {
        if case .upload(.multipart) = payload { true } else { false }
    }

    /// The bytes as a format of `printf`: bytes that are not plain text in octal (POSIX, Utilities, printf).
    private static func printed(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): text += "%%"
            case UInt8(ascii: "\\"), UInt8(ascii: "'"), 0..<0x20, 0x7F...:
                let octal = String(byte, radix: 8)
                text += "\\" + String(repeating: "0", count: 3 - octal.utf8.count) + octal
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }

    /// `name="value";type=…`, where curl reads a backslash before a quote as an escape (curl's manual,
    /// --form).
    private static func form(_ part: MultipartPart, _ mask: SecretMask?) throws(DefinitionError) -> String {
        func quoted(_ text: String) -> String {
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        var text: String
        switch part.source {
        case .file(let path): text = "\(part.name)=@\(quoted(path))"
        case .bytes(let bytes):
            guard let value = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                throw DefinitionError(
                    .notReadable, "the part '\(part.name.printable)' has bytes that no command line holds")
            }
            let isHidden = mask?.hides(part.name) ?? false
            text = "\(part.name)=\(quoted(isHidden ? SecretMask.text : mask?.line(value) ?? value))"
        }
        if let filename = part.filename { text += ";filename=\(quoted(filename))" }
        if let type = part.contentType { text += ";type=\(type)" }
        return text
    }
}

extension Method {
    /// Whether a shell takes it literally.
    fileprivate static func isPlain(_ method: String) -> Bool {
        method.utf8.allSatisfy { $0.isASCIILetter || $0 == UInt8(ascii: "-") }
    }
}

extension RequestDefinition {
    /// The request as a command line: with the changes of blocks and mutators as of now, and with files by
    /// reference.
    ///
    /// - Parameter mask: Hides secrets; nil shows them.
    /// - Throws: ``RequestError`` if the request can't be sent, ``DefinitionError`` for bytes of a form that
    ///   a command line can't contain.
    @EngineActor
    public func curl(mask: SecretMask? = .standard) throws -> CurlCommand {
        try CurlCommand(try draft(), of: resource, mask: mask)
    }
}

extension Resource {
    /// A request of this resource as a command line, with the changes of blocks and mutators as of now, and
    /// with files by reference; no request is sent. Decorators are not included, because they may do
    /// anything, except those of ``BasicAuthentication``.
    ///
    /// - Parameters:
    ///   - mask: Hides secrets; nil shows them.
    ///   - options: The options of the request.
    ///   - method: The method of the request.
    /// - Throws: The errors of `curl(mask:)`.
    public func curl(
        _ method: Method = .get, _ options: RequestOptions = RequestOptions(), mask: SecretMask? = .standard
    ) throws -> CurlCommand {
        try CurlCommand(try curlPlan(method, options).draft(for: self), of: self, mask: mask)
    }

    /// The same with the credentials that decorators set. They run for it, so this is for programs whose
    /// transport sends nothing.
    ///
    /// - Returns: Also a sentence about each decorator that answers in place of the API, or fails.
    package func curlAfterDecorators(
        _ method: Method, _ options: RequestOptions, mask: SecretMask?
    ) throws -> (command: CurlCommand, warnings: [String]) {
        let work = NetworkWork(try curlPlan(method, options), of: self)
        var request = Request(engine: engine, work: work)
        var warnings: [String] = []
        for decorator in work.finalConfiguration.configuration.decorators {
            let place = decorator.origin
            do {
                request = try decorated(request, method: work.finalMethod, byOne: decorator)
                guard request.work.network !== work else { continue }
                warnings.append(
                    "the decorator at \(place) answers the request itself or sends another one, which the "
                        + "command doesn't do")
                break
            } catch { warnings.append("the decorator at \(place) fails: \(error)") }
        }
        let command = try CurlCommand(
            try work.plan.draft(for: self), of: self, mask: mask, credentials: work.plan.authentication?.known
        )
        return (command, warnings)
    }

    private func curlPlan(_ method: Method, _ options: RequestOptions) throws -> RequestPlan {
        let plan: RequestPlan
        do throws(RequestError.CauseError) {
            plan = RequestPlan(method: method.rawValue, mutations: try mutations(for: options))
        } catch {
            throw RequestError(
                cause: error.cause, timestamp: engine.scheduler.now, url: urlString, method: method.rawValue)
        }
        if configuration(for: method).computation != nil {
            throw RequestError(
                userMessage: "A computed resource sends no request of its own, so there is no command for it",
                timestamp: engine.scheduler.now, url: urlString, method: method.rawValue)
        }
        return plan
    }
}
