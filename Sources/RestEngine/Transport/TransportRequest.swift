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
