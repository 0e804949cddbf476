internal import CCurl
internal import RestEngine

/// A request's header lines as libcurl takes them; owns the list.
final class HeaderList {
    private(set) var list: UnsafeMutablePointer<curl_slist>?
    private let headers: Headers
    private let body: RequestShape.Body

    /// - Parameters:
    ///   - body: libcurl would add headers of its own to a request with one, which are switched off.
    ///   - userAgent: The User-Agent, unless the request has one. It and the codings are lines of this list,
    ///     which libcurl formats once for each transfer; as options of their own (CURLOPT_USERAGENT(3),
    ///     CURLOPT_ACCEPT_ENCODING(3)) it would do so twice.
    init(_ headers: Headers, _ body: RequestShape.Body, userAgent: String) throws(TransportError) {
        self.headers = headers
        self.body = body
        var names = Names()
        for field in headers.fields {
            try RequestRules.checkField(field)
            if names.note(field.name) { continue }
            if body == .form, field.name.lowercased() == "content-type" {
                // libcurl adds the boundary that it writes.
                try append("Content-Type: " + MediaType.settingBoundary(nil, in: field.value))
                continue
            }
            // A name with a colon and nothing behind it would remove the header, not send it empty
            // (CURLOPT_HTTPHEADER(3)).
            let isEmpty = field.value.utf8.allSatisfy { $0 == 0x20 || (9...13).contains($0) }
            try append(isEmpty ? field.name + ";" : field.name + ": " + field.value)
        }
        if !names.hasUserAgent, !headers.omitted.contains("user-agent") {
            try append("User-Agent: " + userAgent)
        }
        if !names.hasCodings, !headers.omitted.contains("accept-encoding") {
            try append("Accept-Encoding: " + BodyDecoder.codings)
        }
        if !headers.omitted.isEmpty {
            for name in Headers.transportNames where headers.omitted.contains(name) { try append(name + ":") }
        }
        // Not in HTTP/2, where libcurl leaves it out.
        if body == .chunked { try append("Transfer-Encoding: chunked") }
        if body != .none {
            // A form's type, which can't do without its boundary, stays libcurl's.
            if !names.hasContentType, body != .form { try append("Content-Type:") }
            if !names.hasExpect { try append("Expect:") }
        }
    }

    deinit { curl_slist_free_all(list) }

    func isSame(_ headers: Headers, _ body: RequestShape.Body) -> Bool {
        self.body == body && self.headers == headers
    }

    private func append(_ line: String) throws(TransportError) {
        guard let longer = curl_slist_append(list, line) else {
            throw TransportError(.internal, message: "there is no memory for the request's headers")
        }
        list = longer
    }

    private struct Names {
        var hasContentType = false
        var hasExpect = false
        var hasUserAgent = false
        var hasCodings = false

        /// True for a field that is left out.
        mutating func note(_ name: String) -> Bool {
            switch name.utf8.count {
            case 6: if name.lowercased() == "expect" { hasExpect = true }
            case 10: if name.lowercased() == "user-agent" { hasUserAgent = true }
            case 15: if name.lowercased() == "accept-encoding" { hasCodings = true }
            case 12: if name.lowercased() == "content-type" { hasContentType = true }
            default: return Headers.framesMessage(name)
            }
            return false
        }
    }
}
