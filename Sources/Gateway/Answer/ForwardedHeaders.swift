import RestEngine

/// The headers of the API that go to a client, and their form. Addresses below the service's base URL become
/// addresses of the gateway, so that a client that follows one stays with the gateway.
struct ForwardedHeaders: Sendable {
    /// Nil keeps all headers except those that the gateway sets itself.
    let kept: HeaderNames?
    var isForOneClient = false
    let service: String
    let base: URLText?
    /// Names of the client's headers that choose what the API answers (RFC 9110 12.5.5); nil for none.
    var vary: String?

    /// Headers about the content or the request that hold no secret.
    static let usual: Set<String> = [
        "allow", "content-disposition", "content-language", "deprecation", "last-modified", "link",
        "location", "preference-applied", "retry-after", "sunset",
    ]

    /// For headers of an answer that all clients share.
    static let own = ForwardedHeaders(kept: nil, service: "", base: nil)
    /// For headers of a route's answer to one client, which may set all fields about itself.
    static let ofRoute = ForwardedHeaders(kept: nil, isForOneClient: true, service: "", base: nil)

    var isOwn: Bool { kept == nil }

    /// Why a client's header can't be forwarded; nil for one that can.
    static func validationError(toForwarding name: String) -> String? {
        switch name.lowercased() {
        case "if-none-match", "if-modified-since":
            "'\(name)' is used by the gateway itself for reads, and goes to the API with all other requests anyway"
        case "cache-control":
            "'\(name)' tells the gateway itself how fresh a resource has to be"
        case "accept-encoding":
            "'\(name)' is set by the host itself, which decodes the codings that it asks for"
        case "x-request-id": "'\(name)' is set by the gateway, which takes it from clients that it knows"
        case "host": "'\(name)' names the gateway; the API gets the name in the service's base_url"
        case "expect": "'\(name)' is answered by the gateway itself"
        case let lower: validationError(name, lower)
        }
    }

    /// Why a header of the API can't be kept; nil for one that can.
    static func validationError(toKeeping name: String) -> String? {
        switch name.lowercased() {
        case "etag":
            "'\(name)' goes to the client anyway after changes and with parts; for reads the gateway makes its own"
        case "www-authenticate", "content-range":
            "'\(name)' goes to the client anyway, with the status that it belongs to"
        case "content-type", "content-encoding":
            "'\(name)' is set by the gateway, for the content that it sends"
        case "age", "cache-control", "cache-status", "date", "x-request-id":
            "'\(name)' is set by the gateway, for its own answer"
        case let lower:
            validationError(name, lower) ?? (SecretMask.standard.hides(name) ? "'\(name)' is secret" : nil)
        }
    }

    /// Headers of a single connection (RFC 9110 7.6.1, 11.7.1) and of a message's length are never forwarded.
    private static func validationError(_ name: String, _ lower: String) -> String? {
        if name.contains("*") { return "'\(name)' is a pattern: name each header" }
        guard Method.isToken(name) else { return "'\(name)' is no valid name of a header" }
        if lower == "content-length" { return "'\(name)' is set anew for each message" }
        if hopByHop.contains(lower) { return "'\(name)' belongs to a single connection" }
        return nil
    }

    static func isName(_ name: String) -> Bool {
        Method.isToken(name) && !hopByHop.contains(name.lowercased())
    }

    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
        "te", "trailer", "transfer-encoding", "upgrade", "http2-settings",
    ]

    /// Headers that the gateway sets in its own answers, whatever a route sets.
    private static let gatewaysOwn: Set<String> = hopByHop.union([
        "set-cookie", "host", "content-length", "content-encoding", "content-range", "content-type",
        "accept-encoding", "expect", "range", "if-none-match", "if-modified-since", "if-match",
        "if-unmodified-since", "if-range", "date", "age", "etag", "cache-control", "cache-status",
        "www-authenticate", "x-request-id",
    ])

    /// Of these, those that a route's answer to one client may set.
    private static let onlyForOneClient: Set<String> = [
        "set-cookie", "etag", "cache-control", "www-authenticate",
    ]

    /// - Parameter url: The URL of the response.
    func fields(of headers: Headers, from url: String?) -> [(String, String)] {
        var fields: [(String, String)] = []
        if let vary { fields.append(("Vary", vary)) }
        for field in headers.fields {
            guard isKept(field.name), field.value.utf8.allSatisfy({ HTTPByte.isFieldValue($0) }) else {
                continue
            }
            switch field.name.lowercased() {
            case _ where kept == nil: fields.append((field.name, field.value))
            case "location": if let own = own(field.value, from: url) { fields.append((field.name, own)) }
            case "link": fields.append((field.name, links(field.value, from: url)))
            default: fields.append((field.name, field.value))
            }
        }
        return fields
    }

    private func isKept(_ name: String) -> Bool {
        if let kept { return kept.contains(name) }
        let lower = name.lowercased()
        if isForOneClient, Self.onlyForOneClient.contains(lower) { return true }
        return !Self.gatewaysOwn.contains(lower)
    }

    /// The address for a client; nil if the text is no address.
    private func own(_ href: String, from url: String?) -> String? {
        guard let source = (url.flatMap { URLText($0) }) ?? base, let target = source.relative(href) else {
            return nil
        }
        guard let base, let origin = target.origin, origin == base.origin,
            target.path.hasPrefix(base.path)
        else { return target.string }
        // The base URL's parameters are added to each request and may be API keys, so clients don't see them.
        let secret = Set(base.parameters.map(\.text))
        let parameters = target.parameters.filter { !secret.contains($0.text) }
        var text =
            "/" + PercentEncoding.segment(Array(service.utf8)) + "/" + target.path.dropFirst(base.path.count)
        if !parameters.isEmpty { text += "?" + parameters.map(\.text).joined(separator: "&") }
        if let fragment = target.fragment { text += "#" + fragment }
        return text
    }

    /// Rewrites each target of `<target>; rel="next", …` (RFC 8288 3).
    private func links(_ value: String, from url: String?) -> String {
        var result = ""
        var rest = value[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let target = String(rest[rest.index(after: start)..<end])
            result += rest[...start] + (own(target, from: url) ?? target) + ">"
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}

/// A set of header names in which each header of a response is looked up. Most headers aren't in it; the bits
/// show that without a copy of the name in lower case.
struct HeaderNames: Sendable {
    /// The names in lower case.
    private let names: Set<String>
    /// A bit for each pair of length and first letter.
    private let bits: UInt64

    init(_ names: Set<String>) {
        self.names = names
        bits = names.reduce(0) { $0 | Self.bit($1) }
    }

    /// Ignores the case of ASCII letters.
    func contains(_ name: String) -> Bool {
        Self.bit(name) & bits != 0 && names.contains(name.lowercased())
    }

    private static func bit(_ name: String) -> UInt64 {
        1 << ((UInt64(name.utf8.count) &* 11 &+ UInt64((name.utf8.first ?? 0) & 0x1F)) & 63)
    }
}
