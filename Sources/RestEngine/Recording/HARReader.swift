import Platform

/// Reads recordings in HAR 1.2, from this program and from browsers and proxies: optional members may be
/// missing (rules 49.6, 49.7).
package struct HARReader {
    /// The limit for the bytes of a file; see docs/reference/limits.md, L83.
    package static let mostBytes = 256 << 20
    /// The limit for the exchanges of a file.
    package static let mostEntries = 100_000

    private let path: String
    /// Whether this program made the recording, so that entries have digests.
    private let isOurs: Bool
    private let digests: CredentialDigests

    private init(path: String, key: [UInt8]?) {
        self.path = path
        isOurs = key != nil
        digests = key.map { CredentialDigests(key: $0) } ?? CredentialDigests()
    }

    /// The HTTP exchanges of a file, in order.
    package static func read(_ path: String) throws(RecordingError) -> [RecordedExchange] {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try WholeFile.read(path, limit: mostBytes) } catch {
            throw RecordingError(path: path, "it can't be read: \(error.reason)")
        }
        return try exchanges(bytes, path: path)
    }

    /// The same for the bytes of a file; `path` is its name in messages.
    package static func exchanges(
        _ bytes: [UInt8], path: String
    ) throws(RecordingError) -> [RecordedExchange] {
        let document: Tree
        // The byte order mark that some editors write.
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        do throws(JSONError) { document = try Tree(json: text) } catch {
            throw RecordingError(path: path, "it is not JSON: \(error.message) at byte \(error.offset)")
        }
        guard let entries = document.member("log")?.member("entries"), entries.kind == .array else {
            throw RecordingError(path: path, "it is not a HAR: it has no 'log.entries'")
        }
        guard entries.count <= mostEntries else {
            throw RecordingError(
                path: path, "it has \(entries.count) entries, and \(mostEntries) are read at most")
        }
        let own = document.member("log")?.member("_resthost")?.member("key")?.string
        let key = own.flatMap { Hex.decode(Array($0.utf8.prefix(128))) }
        let reader = HARReader(path: path, key: key)
        var exchanges: [RecordedExchange] = []
        var number = 0
        for entry in entries.elements {
            number += 1
            if let exchange = try reader.exchange(entry, number) { exchanges.append(exchange) }
        }
        return exchanges
    }

    /// Nil for an entry that is not HTTP: a web socket, `data:`, an extension of a browser.
    private func exchange(_ entry: Tree, _ number: Int) throws(RecordingError) -> RecordedExchange? {
        func fault(_ message: String) -> RecordingError { RecordingError(path: path, entry: number, message) }
        guard let request = entry.member("request") else { throw fault("it has no 'request'") }
        guard let source = request.member("url")?.string else { throw fault("'request.url' is no text") }
        guard let url = ComparedRequest.url(source) else { return nil }
        guard let method = request.member("method")?.string, Method.isToken(method) else {
            throw fault("'request.method' is no method")
        }
        guard let response = entry.member("response") else { throw fault("it has no 'response'") }
        do throws(Fault) {
            let body = try body(of: request)
            let fields = fields(of: request)
            return RecordedExchange(
                number: number, method: method, url: url, body: body, range: fields["Range"],
                accept: fields["Accept"], credentials: credentials(of: entry, fields, source, body),
                digests: digests, answer: try answer(response, method))
        } catch { throw fault(error.message) }
    }

    /// Recordings of other programs contain the credentials themselves.
    private func credentials(
        of entry: Tree, _ fields: Headers, _ url: String, _ body: RecordedExchange.RequestBody
    ) -> Set<String> {
        if isOurs {
            guard let list = entry.member("_credentials"), list.kind == .array else { return [] }
            return Set(list.elements.compactMap(\.string))
        }
        guard case .bytes(let bytes, let type) = body else {
            return digests.all(fields, url: url, body: [], nil)
        }
        return digests.all(fields, url: url, body: bytes, type)
    }

    private func fields(of request: Tree) -> Headers {
        var headers = Headers()
        guard let list = request.member("headers"), list.kind == .array else { return headers }
        for field in list.elements {
            guard let name = field.member("name")?.string, let value = field.member("value")?.string
            else { continue }
            headers.add(name, value)
        }
        return headers
    }

    private struct Fault: Error {
        let message: String
    }

    // MARK: The request

    private func body(of request: Tree) throws(Fault) -> RecordedExchange.RequestBody {
        guard let data = request.member("postData"), data.kind == .object else {
            return .bytes([], type: nil)
        }
        let type = data.member("mimeType")?.string
        if isOurs, let digest = data.member("_digest")?.string { return .digest(digest) }
        if let text = data.member("text"), let bytes = text.bytes, !bytes.isEmpty {
            let encoding = data.member("encoding")?.string ?? data.member("_encoding")?.string
            return .bytes(try decoded(Array(bytes), encoding, "request.postData.text"), type: type)
        }
        guard let params = data.member("params"), params.kind == .array, params.count > 0 else {
            // The recording program left the text out, or there was none.
            return (request.member("bodySize")?.int ?? 0) > 0 || data.member("comment") != nil
                ? .unknown : .bytes([], type: type)
        }
        let mask = SecretMask.standard
        return .params(
            params.elements.map { param in
                let name = param.member("name")?.string ?? ""
                return RecordedParam(
                    name: name,
                    value: param.member("value")?.string.map {
                        mask.hides(name) ? SecretMask.text : mask.line($0)
                    }, fileName: param.member("fileName")?.string)
            })
    }

    // MARK: The answer

    private func answer(_ response: Tree, _ method: String) throws(Fault) -> RecordedExchange.Answer {
        guard response.kind == .object, let status = response.member("status")?.int else {
            throw Fault(message: "'response.status' is no integer")
        }
        if status == 0 { return .failure(failure(response)) }
        guard (100...999).contains(status) else {
            throw Fault(message: "'response.status' is \(status), which is no status")
        }
        let ending = ending(response)
        var headers = try self.headers(response.member("headers"), isWhole: ending == nil)
        let content = response.member("content")
        if content?.member("_truncated") != nil {
            return .unusable("its body was longer than what was recorded of it")
        }
        var body: [UInt8] = []
        if let text = content?.member("text")?.bytes {
            let encoding = content?.member("encoding")?.string
            body = try decoded(Array(text), encoding, "response.content.text")
            if encoding?.lowercased() != "base64" { Self.declareUTF8(of: body, &headers) }
        } else if (content?.member("size")?.int ?? 0) > 0, method != "HEAD", status != 204, status != 304 {
            return .unusable("its body was not recorded")
        }
        if headers["Content-Type"] == nil, !body.isEmpty, let type = content?.member("mimeType")?.string,
            !type.isEmpty, type != "x-unknown", Headers.problem(name: "Content-Type", value: type) == nil
        {
            headers.set("Content-Type", type)
        }
        let answer = TransportResponse(
            status: Int(status), httpVersion: Self.version(response.member("httpVersion")?.string),
            headers: headers, body: body)
        return ending.map { .interrupted(answer, $0) } ?? .response(answer)
    }

    /// How a body ends early, in recordings of this program; nil for a whole one.
    private func ending(_ response: Tree) -> StubReply.Ending? {
        guard let name = response.member("_error")?.string else { return nil }
        if name == RecordedExchange.cancelled { return .never }
        return TransportError.Code(rawValue: name) == nil ? nil : .failure(failure(response))
    }

    /// Drops names that begin with a colon, which belong to HTTP/2, and headers about the encoding of the
    /// body, which is decoded here. The length of a body that was cut is kept: it states where the body would
    /// have ended, so that the download can be resumed.
    private func headers(_ list: Tree?, isWhole: Bool) throws(Fault) -> Headers {
        var headers = Headers()
        guard let list, list.kind == .array else { return headers }
        for field in list.elements {
            guard let name = field.member("name")?.string, let value = field.member("value")?.string else {
                throw Fault(message: "a header of 'response.headers' has no name and value")
            }
            let lower = name.lowercased()
            if name.hasPrefix(":") { continue }
            if Self.packing.contains(lower), isWhole || lower != "content-length" { continue }
            // Browsers join repeated fields with line breaks.
            for line in value.split(separator: "\n", omittingEmptySubsequences: false) {
                let line = String(line)
                if let problem = Headers.problem(name: name, value: line) {
                    throw Fault(message: "a header of 'response.headers' \(problem)")
                }
                headers.add(name, line)
            }
        }
        return headers
    }

    private static let packing: Set<String> = [
        "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive",
    ]

    /// Text in a recording is Unicode, regardless of the charset that the server used.
    private static func declareUTF8(of body: [UInt8], _ headers: inout Headers) {
        guard body.contains(where: { $0 >= 0x80 }), let type = headers["Content-Type"] else { return }
        let media = MediaType(type)
        if media.isJSON || media.charset == "utf-8" { return }
        headers.set("Content-Type", media.essence + "; charset=utf-8")
    }

    private static func version(_ text: String?) -> String {
        switch text?.lowercased() {
        case "h2", "http/2", "http/2.0": "HTTP/2"
        case "h3", "http/3", "http/3.0": "HTTP/3"
        case "http/1.0": "HTTP/1.0"
        default: "HTTP/1.1"
        }
    }

    private func failure(_ response: Tree) -> TransportError {
        let name = response.member("_error")?.string ?? ""
        let code = TransportError.Code(rawValue: name)
        let phase = response.member("_phase")?.string.flatMap(TransportError.Phase.init(rawValue:))
        let message = response.member("_message")?.string ?? "the recorded request failed"
        return TransportError(
            code ?? .connectionFailed, phase: phase, message: message,
            reason: code == nil && !name.isEmpty ? name : nil,
            isStaleConnection: response.member("_stale")?.bool ?? false)
    }

    private func decoded(_ bytes: [UInt8], _ encoding: String?, _ place: String) throws(Fault) -> [UInt8] {
        switch encoding?.lowercased() {
        case nil, "": return bytes
        case "base64":
            switch Base64.decode(bytes.filter { !$0.isASCIISpace }) {
            case .success(let decoded): return decoded
            case .failure(let error): throw Fault(message: "'\(place)' is \(error.message)")
            }
        case let encoding?: throw Fault(message: "'\(place)' has the unknown encoding '\(encoding)'")
        }
    }
}

extension UInt8 {
    fileprivate var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension Tree {
    /// Nil also for a value that is no object, or null.
    fileprivate func member(_ name: String) -> Tree? {
        guard kind == .object, let value = self[name], value.kind != .null else { return nil }
        return value
    }
}
