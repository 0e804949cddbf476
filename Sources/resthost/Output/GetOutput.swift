import RestEngine

/// Prints the outcome of `resthost get` and returns the exit code.
@EngineActor
struct GetOutput {
    var isJSON: Bool
    var isRaw: Bool
    var includesHead: Bool
    var includesTiming: Bool
    /// The running jobs of the script when the request ended.
    var runningJobs: [String] = []

    func write(_ info: ResponseInfo, of request: Request) -> Int32 {
        if includesHead { writeHead(info, request.exchange) }
        var hasForm = true
        if isJSON {
            let (text, fault) = OutcomeJSON.text(info, request, hint: info.response.error.flatMap(hint))
            let json = Array(text.utf8)
            Streams.output(
                raw: (Streams.isOutputTerminal ? VisibleText.json(json) : json) + [UInt8(ascii: "\n")])
            hasForm = fault == nil
        } else {
            hasForm = writeContent(info)
        }
        if includesTiming {
            if let exchange = request.exchange {
                writeTiming(exchange)
            } else if request.attempts.isEmpty {
                Streams.error("timing: no message was sent\n")
            }
            writeAttempts(request.attempts)
        }
        return hasForm ? exitCode(info.response) : 2
    }

    /// False when a script made content that can't be written.
    private func writeContent(_ info: ResponseInfo) -> Bool {
        switch info.response {
        case .success(let entity): return write(entity.content)
        case .failure(let error):
            Streams.error(Complaint.text("\(error)"))
            if let hint = hint(error) {
                Streams.error("  hint: \(VisibleText.lines(hint, indent: "    "))\n")
            }
            if let entity = error.entity, !isEmpty(entity.content) { _ = write(entity.content) }
            return true
        }
    }

    private func hint(_ error: RequestError) -> String? { FailureHint.text(error, runningJobs: runningJobs) }

    private func write(_ content: Content) -> Bool {
        switch content {
        case .text(let text):
            Streams.output(content: Array(text.utf8))
            endLine(text.utf8.last)
        case .bytes(let bytes):
            let isReadable = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            guard isReadable || !Streams.isOutputTerminal || isRaw else {
                Streams.error(
                    "resthost: \(bytes.count) bytes that are not text; redirect the output to keep them\n")
                return true
            }
            if isRaw { Streams.output(raw: bytes) } else { Streams.output(content: bytes) }
            endLine(bytes.last)
        case .image(let image):
            guard !Streams.isOutputTerminal else {
                Streams.error(
                    "resthost: an image, \(image.format.rawValue) \(image.width)x\(image.height); redirect the output to keep it\n"
                )
                return true
            }
            Streams.output(raw: image.bytes)
        case .json(let tree), .value(let tree):
            do throws(JSONError) {
                let json = try tree.json()
                let shown = Streams.isOutputTerminal ? VisibleText.json(PrettyJSON.format(json)) : json
                Streams.output(raw: shown + [UInt8(ascii: "\n")])
            } catch {
                Streams.error(Complaint.text("the content has no form in JSON: \(error.message)"))
                return false
            }
        case .native:
            Streams.error("resthost: the content has no form outside the program\n")
            return false
        }
        return true
    }

    /// Ends the last line, so that a prompt begins a new one.
    private func endLine(_ last: UInt8?) {
        if Streams.isOutputTerminal, let last, last != UInt8(ascii: "\n") { Streams.output("\n") }
    }

    private func isEmpty(_ content: Content) -> Bool {
        switch content {
        case .bytes(let bytes): bytes.isEmpty
        case .text(let text): text.isEmpty
        default: false
        }
    }

    /// Writes the head of the exchange on the network, or else the head kept by a cache.
    private func writeHead(_ info: ResponseInfo, _ exchange: Exchange?) {
        let entity = info.response.entity
        guard let status = exchange?.status ?? entity?.status,
            let headers = exchange?.headers ?? entity?.headers
        else { return }
        let version = exchange?.httpVersion ?? entity?.httpVersion.map { "HTTP/\($0)" } ?? "HTTP/1.1"
        var text = VisibleText.inline("\(version) \(StatusPhrase.line(status))") + "\n"
        for field in headers.fields {
            let value = SecretMask.standard.header(field.name, field.value)
            text += VisibleText.inline("\(field.name): \(value)") + "\n"
        }
        Streams.error(text + "\n")
    }

    private func writeTiming(_ exchange: Exchange) {
        let timings = exchange.timings
        func row(_ name: String, _ seconds: Double) -> String {
            let micros = Int((seconds * 1e6).rounded())
            let millis = "\(micros / 1000).\(String(1000 + micros % 1000).dropFirst())"
            return "  \(name)\(String(repeating: " ", count: max(1, 14 - name.count)))\(millis) ms\n"
        }
        Streams.error(
            "timing of \(VisibleText.inline(SecretMask.standard.url(exchange.url)))\(exchange.redirects > 0 ? " after \(exchange.redirects) redirects" : "")\n"
                + row("name look-up", timings.nameLookupSeconds) + row("connected", timings.connectSeconds)
                + row("tls", timings.tlsSeconds) + row("first byte", timings.firstByteSeconds)
                + row("total", timings.totalSeconds)
                + "  received      \(timings.bytesReceived) bytes\(timings.isConnectionReused ? ", connection reused" : "")\n"
        )
    }

    /// For a single attempt with an answer, the timing is enough.
    private func writeAttempts(_ attempts: [RequestAttempt]) {
        guard attempts.count > 1 || attempts.first?.error != nil else { return }
        let lines = attempts.map { "  " + VisibleText.inline("\($0)") + "\n" }
        Streams.error("attempts\n" + lines.joined())
    }

    /// 1 for a failed request, 2 when the script caused the failure.
    private func exitCode(_ response: Response) -> Int32 {
        guard let error = response.error else { return 0 }
        switch error.cause {
        case .scriptError, .scriptLimit: return 2
        default: return 1
        }
    }
}

/// Advice for people about a failure.
enum FailureHint {
    static func text(_ error: RequestError, runningJobs jobs: [String] = []) -> String? {
        if error.httpStatusCode == 401, let job = jobs.first {
            let more = jobs.count > 1 ? " and \(jobs.count - 1) more still run" : " still runs"
            return
                "the job at \(job)\(more), and get waits for no job that sleeps or takes long: if it logs in, let "
                + "rest.refresh_on(401, …) do that, which holds requests back until there is a token"
        }
        guard case .transport(let failure)? = error.cause else { return nil }
        switch failure.code {
        case .connectionFailed where failure.peer?.hasPrefix("proxy ") == true:
            return "is the proxy running, and is transport.proxy (or http_proxy in the environment) right?"
        case .connectionFailed where failure.peer?.hasPrefix("socket ") == true:
            return "is the server running, and is transport.unix_socket right?"
        case .connectionFailed: return "is the server running, and is base_url right?"
        case .dnsFailed where failure.peer?.hasPrefix("proxy ") == true:
            return "check the host's name in transport.proxy"
        case .dnsFailed: return "check the host's name in base_url"
        case .timeout where failure.phase == .queue:
            return "c.limits in a configuration block sets how long a request may wait (queue_timeout)"
        case .timeout: return "c.timeouts in a configuration block gives it more time"
        case .tooLarge where failure.phase == .receive:
            return "c.max_body_bytes in a configuration block raises the limit"
        case .queueFull where failure.phase == .queue:
            return "c.limits in a configuration block sets how many may wait (queue)"
        case .tooLarge, .tlsFailed, .invalidURL, .tooManyRedirects, .decodingFailed, .queueFull, .internal,
            .circuitOpen, .rateLimited, .offline:
            return nil
        }
    }
}
