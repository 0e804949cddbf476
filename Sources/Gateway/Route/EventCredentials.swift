import Platform
import RestEngine

/// Where a request for a stream of events may have its token, besides `Authorization`: the browser's
/// `EventSource` sends no such header. A GET that doesn't ask for events is not looked at, so no page of
/// another origin can use a cookie for anything else.
public struct EventCredentials: Sendable, Equatable {
    /// The name of a cookie; nil for none.
    public var cookie: String?
    /// The name of a parameter of the query, in plain letters, digits, `-` and `_`; nil for none. Neither the
    /// API nor a log gets it.
    public var parameter: String?

    public init(cookie: String? = nil, parameter: String? = nil) {
        self.cookie = cookie
        self.parameter = parameter
    }

    /// Whether a request may have its token there.
    func apply(to head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard head.method == .get, let accept = head.accept else { return false }
        return AcceptedTypes(String(decoding: accept.bytes(in: bytes), as: UTF8.self)).prefersEvents
    }

    /// The token of a request as the value of an Authorization field; nil without one, or with a field of its
    /// own.
    func authorization(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> String? {
        guard head.authorization == nil, apply(to: head, bytes),
            let token = cookie(head, bytes) ?? parameter(head.target.bytes(in: bytes))
        else { return nil }
        return "Bearer " + token
    }

    private func cookie(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> String? {
        guard let cookie else { return nil }
        let fields = RequestFields(Array(bytes[..<head.length]))
        // In one field, or, over HTTP/2, in several (RFC 9113 8.2.3).
        return fields.fields(named: ["cookie"]).lazy.flatMap { Self.cookies($0.value) }.compactMap { pair in
            guard let value = Self.value(of: cookie, in: pair), !value.isEmpty else { return nil }
            return String(value)
        }.first
    }

    /// By bytes: a character may consist of a separator and what stands beside it.
    private static func cookies(_ value: String) -> [Substring] {
        value.utf8.split(separator: UInt8(ascii: ";")).map { Substring($0) }
    }

    private static func value(of cookie: String, in pair: Substring) -> Substring? {
        let pair = pair.utf8.drop { $0 == UInt8(ascii: " ") }
        guard pair.starts(with: (cookie + "=").utf8) else { return nil }
        return Substring(pair.dropFirst(cookie.utf8.count + 1))
    }

    /// The value of a Cookie field without the token; nil if no other cookie is left.
    func stripped(cookies value: String) -> String? {
        guard let cookie else { return value }
        let others = Self.cookies(value).filter { Self.value(of: cookie, in: $0) == nil }
        return others.isEmpty ? nil : String(others.joined(separator: ";").drop { $0 == " " })
    }

    private func parameter(_ target: UnsafeRawBufferPointer) -> String? {
        guard let parameter else { return nil }
        return Self.pairs(target).lazy.compactMap { pair -> String? in
            guard pair.hasPrefix(parameter + "=") else { return nil }
            return PercentEncoding.decode(String(pair.dropFirst(parameter.count + 1)))
        }.first { !$0.isEmpty }
    }

    /// The target without the parameter; nil if it has none.
    func stripped(_ target: [UInt8]) -> [UInt8]? {
        guard let parameter else { return nil }
        let pairs = target.withUnsafeBytes { Self.pairs($0) }
        let others = pairs.filter { $0 != parameter && !$0.hasPrefix(parameter + "=") }
        guard others.count < pairs.count else { return nil }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        return Array(path) + (others.isEmpty ? [] : Array(("?" + others.joined(separator: "&")).utf8))
    }

    private static func pairs(_ target: UnsafeRawBufferPointer) -> [Substring] {
        guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return String(decoding: target[(mark + 1)...], as: UTF8.self)
            .split(separator: "&", omittingEmptySubsequences: false)
    }
}
