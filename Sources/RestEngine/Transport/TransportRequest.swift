/// What a transport sends, complete: nothing is added but the framing of the protocol (Host, Content-Length,
/// Accept-Encoding as the transport can decode).
public struct TransportRequest: Sendable {
    /// Behind one reference: a request is handed on from thread to thread, and a copy of nine members counts
    /// references for each of them.
    private var storage: Storage

    /// An RFC 9110 token, sent as it is.
    public var method: String {
        get { storage.fields.method }
        set { change { $0.method = newValue } }
    }
    /// An absolute URL with scheme http or https; the fragment is not sent.
    public var url: String {
        get { storage.fields.url }
        set { change { $0.url = newValue } }
    }
    /// All but those of the framing.
    public var headers: Headers {
        get { storage.fields.headers }
        set { change { $0.headers = newValue } }
    }
    /// Nil for none, which is not the same as an empty one.
    public var body: [UInt8]? {
        get { if case .bytes(let bytes) = storage.fields.payload { bytes } else { nil } }
        set { if newValue != nil || upload == nil { change { $0.payload = .init(newValue, nil) } } }
    }
    /// A body that is read while it is sent; then ``body`` is nil. Setting either takes the other's place.
    public var upload: Upload? {
        get { if case .upload(let upload) = storage.fields.payload { upload } else { nil } }
        set { if newValue != nil || body == nil { change { $0.payload = .init(nil, newValue) } } }
    }
    /// When to give up.
    public var timeouts: Timeouts {
        get { storage.fields.timeouts }
        set { change { $0.timeouts = newValue } }
    }
    /// Cap on the decoded body of the response, in bytes; beyond it the transfer fails with `too_large`. Not
    /// of one that goes to a ``receiver``.
    public var maxBodyBytes: Int {
        get { storage.fields.maxBodyBytes }
        set { change { $0.maxBodyBytes = newValue } }
    }
    /// Gets the body of a success as it comes; then the response has none. Nil: it is collected.
    public var receiver: (any BodyReceiver)? {
        get { storage.fields.receiver }
        set { change { $0.receiver = newValue } }
    }
    /// Counts the body of the response as it comes in; when that has no room the transfer fails with its
    /// refusal.
    package var account: BodyAccount? { storage.fields.account }
    /// The response is to say where it came from.
    package var wantsRemoteAddress: Bool { storage.fields.wantsRemoteAddress }
    /// It goes over a connection that no request has used.
    package var wantsFreshConnection: Bool { storage.fields.wantsFreshConnection }
    /// The same message once more means what it means once.
    package var mayBeRepeated: Bool { method == "GET" || Method.mayBeRepeated(method, headers) }

    public init(
        method: String = "GET", url: String, headers: Headers = Headers(), body: [UInt8]? = nil,
        upload: Upload? = nil, timeouts: Timeouts = Timeouts(), maxBodyBytes: Int = 64 << 20
    ) {
        self.init(
            Fields(
                method: method, url: url, headers: headers, payload: RequestPayload(body, upload),
                timeouts: timeouts, maxBodyBytes: maxBodyBytes))
    }

    init(_ fields: Fields) { storage = Storage(fields) }

    private mutating func change(_ edit: (inout Fields) -> Void) {
        var fields = storage.fields
        edit(&fields)
        storage = Storage(fields)
    }

    struct Fields: Sendable {
        var method: String
        var url: String
        var headers: Headers
        var payload = RequestPayload.none
        var timeouts: Timeouts
        var maxBodyBytes: Int
        var receiver: (any BodyReceiver)?
        var account: BodyAccount?
        var wantsRemoteAddress = false
        var wantsFreshConnection = false
    }

    private final class Storage: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }
}

/// The four limits of a transfer; zero or less means none.
public struct Timeouts: Sendable, Equatable {
    package var connectSeconds: Double = 10
    package var firstByteSeconds: Double = 30
    package var idleSeconds: Double = 30
    package var totalSeconds: Double = 120

    /// 10, 30, 30 and 120 seconds.
    public init() {}

    /// For name look-up, connection and TLS handshake.
    public var connect: Duration {
        get { Duration(inSeconds: connectSeconds) }
        set { connectSeconds = newValue.inSeconds }
    }

    /// From the time at which a connection is there or begins to be made to the first byte of the response:
    /// waiting for ``TransportOptions/maxConnectionsPerHost`` is left out.
    public var firstByte: Duration {
        get { Duration(inSeconds: firstByteSeconds) }
        set { firstByteSeconds = newValue.inSeconds }
    }

    /// Without a byte in either direction, once the response has begun or while a body is sent.
    public var idle: Duration {
        get { Duration(inSeconds: idleSeconds) }
        set { idleSeconds = newValue.inSeconds }
    }

    /// For the whole transfer, redirects and answers to challenges included.
    public var total: Duration {
        get { Duration(inSeconds: totalSeconds) }
        set { totalSeconds = newValue.inSeconds }
    }
}

/// What all requests of one transport share.
public struct TransportOptions: Sendable, Equatable {
    /// Most connections to one host and port; a request beyond it waits. Connections belong to the process's
    /// one poller, so the transport that sets a cap sets it for all; nil leaves it as it is, which is at
    /// first no cap.
    public var maxConnectionsPerHost: Int?
    /// Most connections in all; as ``maxConnectionsPerHost``.
    public var maxTotalConnections: Int?
    /// Speak HTTP/2 with servers that choose it in the TLS handshake.
    public var http2 = true
    /// A PEM file of certificates to trust in place of the system's, for servers and for a proxy with
    /// `https://`.
    public var caFile: String?
    /// A folder of such files, named by hash as `openssl rehash` does, to trust in place of the system's;
    /// with ``caFile`` both count.
    public var caPath: String?
    /// A PEM file of the certificate that says who this client is, with those between it and its issuer.
    public var clientCertificate: String?
    /// A PEM file of its private key; nil when that is in ``clientCertificate``.
    public var clientKey: String?
    /// Public keys of servers: `sha256//` and the base64 of the SHA-256 of a key's SubjectPublicKeyInfo
    /// (RFC 7469 2.4). If there are any, one of them must be that of the server's certificate, whatever the
    /// host is; a redirect to another host needs that one's too.
    public var pins: [String] = []
    /// The oldest version of TLS to speak; nil leaves it to the TLS library.
    public var minTLS: TLSVersion?
    /// Proxy for all hosts, as `scheme://host:port`; an empty string is no proxy. Nil follows the environment
    /// (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`) as it is when the first requests are sent.
    public var proxy: String?
    /// Hosts that are asked without a proxy, separated by commas: names with all below them, addresses,
    /// networks as `10.0.0.0/8`; `*` is all. Nil follows the environment (`no_proxy`).
    public var noProxy: String?
    /// Addresses to connect to, by `host:port` of the URL, instead of asking for that name's; the port stays.
    /// The host is who is spoken to still: certificates and the Host header are its.
    public var addresses: [String: String] = [:]
    /// Which addresses of a name are used.
    public var ip = IPVersion.any
    /// Path of a Unix domain socket to connect to whatever the URL's host is.
    public var unixSocket: String?
    /// Sent when a request has no User-Agent.
    public var userAgent = "resthost/0.1.0"

    public init() {}

    /// Versions of TLS (RFC 5246, RFC 8446).
    public enum TLSVersion: String, Sendable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// Versions of the internet protocol.
    public enum IPVersion: String, Sendable, CaseIterable {
        case any, v4, v6
    }

    /// What is wrong with a pin; nil when it can be one.
    package static func problem(ofPin pin: String) -> String? {
        let prefix = "sha256//"
        guard pin.hasPrefix(prefix) else {
            return "it begins with \(prefix), behind which is the SHA-256 of the public key, in base64"
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
