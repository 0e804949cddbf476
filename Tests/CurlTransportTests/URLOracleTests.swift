import CCurl
import CurlTransport
import Platform
import RestEngine
import TestSupport
import Testing

/// The engine's reading of a URL decides which host is granted, libcurl's reading decides which host is
/// connected. Both must agree, or libcurl must refuse the URL.
@Suite struct URLOracleTests {
    private static let pieces = [
        "a", "example", "Com", ".", ".", "-", "_", "~", "%41", "%2e", "%00", "%c3%bc", "%ff", "%", "é", "。",
        "\u{ad}", "@", ":", ":",
        "80", "443", "08080", "65536", "0", "127", "1", "0x7f", "017", "2130706433", "256", "[", "]", "[::1]",
        "[::ffff:1.2.3.4]",
        "[fe80::1%25eth0]", "[fe80::1%1]", "::", "/", "/", "//", "\\", "?", "#", "!", "$", "&", "'", "(", "*",
        "+", ",", ";", "=",
        "{", "|", "\"", "<", "^", "`", " ", "\t", "\r", "user", "localhost",
    ]

    @Test func `curl reads the scheme, the host and the port of a URL as the engine does`() {
        var random = FuzzRounds.random(seed: 29)
        let rounds = FuzzRounds.count(40_000)
        var (accepted, agreed) = (0, 0)
        for _ in 0..<rounds {
            let scheme = ["http://", "https://", "HTTP://", "https:", "http:/", "http:///"][
                random.int(below: 10) % 6]
            let text =
                scheme
                + (0...random.int(below: 5)).map { _ in Self.pieces[random.int(below: Self.pieces.count)] }
                .joined()
            guard let url = URLText(text), url.isHTTP else { continue }
            accepted += 1
            guard let theirs = URLMeaning(curl: url.string) else { continue }
            agreed += 1
            #expect(URLMeaning(url) == theirs, "\(text.debugDescription) as \(url)")
        }
        #expect(accepted > rounds / 20 && agreed > accepted / 5)
    }
}

private struct URLMeaning: Equatable {
    var scheme: String
    /// A name, or the 16 bytes of an IPv6 address and its zone.
    var host: [UInt8]
    var port: Int
}

extension URLMeaning {
    init(_ url: URLText) {
        scheme = url.scheme ?? ""
        port = url.port ?? (url.scheme == "https" ? 443 : 80)
        let host = url.host ?? ""
        guard host.hasPrefix("[") else {
            self.host = Self.decoded(host)
            return
        }
        let parts = host.dropFirst().dropLast().split(separator: "%", maxSplits: 1)
        let zone = parts.count > 1 ? parts[1] : ""
        self.host = Self.address(parts.first ?? "", zone: zone.hasPrefix("25") ? zone.dropFirst(2) : zone)
    }

    /// The parts of a URL as the transport passes it. Nil: refused.
    init?(curl text: String) {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> [UInt8]? {
            var text: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
            defer { curl_free(text) }
            return UnsafeRawBufferPointer(start: text, count: strlen(text)).map { $0 }
        }
        guard curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
            let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
            let port = part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
        else { return nil }
        self.scheme = String(decoding: scheme, as: UTF8.self)
        self.port = Int(String(decoding: port, as: UTF8.self)) ?? 0
        guard host.first == UInt8(ascii: "[") else {
            self.host = host.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
            return
        }
        self.host = Self.address(
            String(decoding: host.dropFirst().dropLast(), as: UTF8.self)[...],
            zone: String(decoding: part(CURLUPART_ZONEID) ?? [], as: UTF8.self)[...])
    }

    private static func address(_ text: Substring, zone: Substring) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, String(text), &bytes) == 1 else { return Array(text.utf8) }
        return bytes + Array(zone.utf8)
    }

    /// Bytes outside of ASCII are escaped in the engine's text, and go to the resolver unescaped.
    private static func decoded(_ host: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in host.utf8 {
            bytes.append(byte)
            guard bytes.count >= 3, bytes[bytes.count - 3] == UInt8(ascii: "%"),
                let value = UInt8(String(decoding: bytes.suffix(2), as: UTF8.self), radix: 16), value >= 0x80
            else { continue }
            bytes.replaceSubrange((bytes.count - 3)..., with: [value])
        }
        return bytes
    }
}
