package import Platform

/// Settings that all requests of one transport share.
public struct TransportOptions: Sendable, Equatable {
    /// The limit for connections to one host and port; further requests wait. Connections belong to the one
    /// poller of the process, so a transport that sets a limit sets it for all transports; nil leaves the
    /// limit unchanged, which is initially none.
    public var maxConnectionsPerHost: Int?
    /// The limit for all connections; as ``maxConnectionsPerHost``.
    public var maxTotalConnections: Int?
    /// Whether to use HTTP/2 with servers that select it in the TLS handshake.
    public var http2 = true
    /// A PEM file of certificates to trust instead of the system's, for servers and for an `https://` proxy.
    public var caFile: String?
    /// A folder of such files, named by hash as with `openssl rehash`, to trust instead of the system's;
    /// together with ``caFile`` both are used.
    public var caPath: String?
    /// A PEM file with the certificate of this client, and the intermediate certificates.
    public var clientCertificate: String?
    /// A PEM file with its private key; nil if that is in ``clientCertificate``.
    public var clientKey: String?
    /// Public keys of servers: `sha256//` and the base64 of the SHA-256 of a key's SubjectPublicKeyInfo (RFC
    /// 7469 2.4). If there are any, the certificate of every server must have one of them; a redirect to
    /// another host needs that host's key too.
    public var pins: [String] = []
    /// The oldest version of TLS to use; nil: the TLS library decides.
    public var minTLS: TLSVersion?
    /// The proxy for all hosts, as `scheme://host:port`; an empty string for none. Nil uses the environment
    /// (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`) at the time when the first requests are sent.
    public var proxy: String?
    /// Hosts that are requested without a proxy, separated by commas: names including their subdomains,
    /// addresses, networks such as `10.0.0.0/8`; `*` for all. Nil uses the environment (`no_proxy`).
    public var noProxy: String?
    /// Addresses to connect to, by `host:port` of the URL, instead of resolving the name; the port stays the
    /// same. Certificates and the Host header are still those of the host.
    public var addresses: [String: String] = [:]
    /// Which addresses of a name to use.
    public var ip = IPVersion.any
    /// The path of a Unix domain socket to connect to, for any host of the URL.
    public var unixSocket: String?
    /// Sent if a request has no User-Agent.
    public var userAgent = "resthost/0.1.0"

    /// All defaults.
    public init() {}

    /// Versions of TLS (RFC 5246, RFC 8446).
    public enum TLSVersion: String, Sendable, CaseIterable {
        /// TLS 1.2.
        case tls12 = "1.2"
        /// TLS 1.3.
        case tls13 = "1.3"
    }

    /// Versions of the internet protocol.
    public enum IPVersion: String, Sendable, CaseIterable {
        /// Both, the faster one first (RFC 8305).
        case any
        /// IPv4 alone.
        case v4
        /// IPv6 alone.
        case v6
    }

    /// The fault of a pin; nil if it is valid.
    package static func problem(ofPin pin: String) -> String? {
        let prefix = "sha256//"
        guard pin.hasPrefix(prefix) else {
            return "it must be \(prefix) and the SHA-256 of the public key in base64"
        }
        let digest = pin.dropFirst(prefix.count).utf8
        let isBase64 = digest.dropLast().allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        guard digest.count == 44, digest.last == UInt8(ascii: "="), isBase64 else {
            return "the base64 of 32 bytes has 44 characters, of which the last is '='"
        }
        return nil
    }
}

// MARK: In scripts

extension TransportOptions {
    /// The options of `transport = { … }`. To add one, add a property above, an entry here, and its use in
    /// the transport.
    package static func fields<Values: OptionValues>() -> [OptionField<Values, TransportOptions>] {
        [
            .flag(
                "http2", default: "true",
                "Speaks HTTP/2 with servers that choose it in the TLS handshake."
            ) { $0.http2 = $1 },
            // The reader checks whether the script may use the proxy, because that depends on the service.
            .text(
                "proxy",
                "`http://`, `https://`, `socks5h://` and so on, with `user:password@` if need be; an empty string is none. "
                    + "Without the option the usual environment variables count."
            ) { $0.proxy = $1 },
            .text(
                "no_proxy",
                "Hosts that are asked without a proxy: `\"inside.example,10.0.0.0/8\"`; `\"*\"` is all."
            ) { $0.noProxy = $1 },
            .text(
                "ca_file", of: .readFile,
                "A PEM file of certificates to trust in place of the system's, for the server and for a proxy with `https://`."
            ) { $0.caFile = $1 },
            .text(
                "ca_path", of: .readFile,
                "A folder of such files, as `openssl rehash` makes it; with `ca_file` both count."
            ) { $0.caPath = $1 },
            .text(
                "client_certificate", of: .readFile,
                "A PEM file of the certificate that says who the service is to the API."
            ) { $0.clientCertificate = $1 },
            .text(
                "client_key", of: .readFile,
                "A PEM file of its key, which may be in `client_certificate` too."
            ) { options, path in
                guard options.clientCertificate != nil else {
                    throw OptionFault("needs 'transport.client_certificate' beside it")
                }
                options.clientKey = path
            },
            .texts(
                "pins",
                "Public keys, one of which the server must have: `{ \"sha256//…\" }`, the base64 of the SHA-256 of the key "
                    + "(RFC 7469 2.4). They hold for every host that is asked, after redirects too."
            ) { options, pins in
                for pin in pins {
                    guard let problem = TransportOptions.problem(ofPin: pin) else { continue }
                    throw OptionFault("is no pin: \(problem)", item: "'\(pin)'")
                }
                options.pins = pins
            },
            .choice("min_tls", TLSVersion.self, "The oldest version of TLS to speak.") { $0.minTLS = $1 },
            .choice("ip", IPVersion.self, default: .any, "Which addresses of a host are used.") {
                $0.ip = $1
            },
            .init(
                "resolve", type: "table<string, string>",
                "Where to connect for a host: `{ [\"api.example.com:443\"] = \"192.0.2.1\" }`; its certificate and Host stay."
            ) { values, options, grant in
                let example = "resolve = { [\"api.example.com:443\"] = \"192.0.2.1\" }"
                for (place, address) in try values.texts("resolve", example: example) ?? [] {
                    guard let url = TransportOptions.url(of: place, at: address) else {
                        throw OptionFault("is none: \(example)", item: "'\(place)' = '\(address)'")
                    }
                    // A URL that may not be requested must not be reachable under another name either.
                    _ = try grant(.request, url.string)
                    options.addresses[place.lowercased()] = address
                }
            },
            .text("unix_socket", of: .socket, "A path to connect to, whatever the host is.") {
                $0.unixSocket = $1
            },
            .count(
                "max_connections_per_host", from: 1,
                "Connections to one host and port, of the whole program. With HTTP/2 a hundred requests share one, and "
                    + "those beyond open one each unless this says how many."
            ) { $0.maxConnectionsPerHost = $1 },
            .count("max_connections", from: 1, "Connections in all, of the whole program.") {
                $0.maxTotalConnections = $1
            },
            .text(
                "user_agent",
                "Sent when a request has no User-Agent; without the option `resthost/` and its version."
            ) { $0.userAgent = $1 },
        ]
    }

    /// The URL for an address that replaces `host:port`; nil if one of them is invalid.
    private static func url(of place: String, at address: String) -> URLText? {
        let host = address.contains(":") && !address.hasPrefix("[") ? "[\(address)]" : address
        guard let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]),
            port > 0,
            let named = URLText("https://\(place[..<colon])/"), named.isHTTP, named.path == "/",
            let url = URLText("https://\(host):\(port)/"), url.isHTTP, url.path == "/"
        else { return nil }
        return url
    }
}
