/// A complete message for a transport, which adds only the framing of the protocol (Host, Content-Length, and
/// Accept-Encoding with the codings that it can decode).
public struct TransportRequest: Sendable {
    /// One reference: a request is passed from thread to thread, and a copy of nine members would count
    /// references for each of them.
    private var storage: Storage

    /// An RFC 9110 token, sent unchanged.
    public var method: String {
        get { storage.fields.method }
        set { change { $0.method = newValue } }
    }
    /// An absolute URL with scheme http or https; the fragment is not sent.
    public var url: String {
        get { storage.fields.url }
        set { change { $0.url = newValue } }
    }
    /// All headers except those of the framing.
    public var headers: Headers {
        get { storage.fields.headers }
        set { change { $0.headers = newValue } }
    }
    /// Nil for no body, which differs from an empty one.
    public var body: [UInt8]? {
        get { if case .bytes(let bytes) = storage.fields.payload { bytes } else { nil } }
        set { if newValue != nil || upload == nil { change { $0.payload = .init(newValue, nil) } } }
    }
    /// A body that is read while it is sent; ``body`` is then nil. Setting one of them clears the other.
    public var upload: Upload? {
        get { if case .upload(let upload) = storage.fields.payload { upload } else { nil } }
        set { if newValue != nil || body == nil { change { $0.payload = .init(nil, newValue) } } }
    }
    /// The time limits.
    public var timeouts: Timeouts {
        get { storage.fields.timeouts }
        set { change { $0.timeouts = newValue } }
    }
    /// The limit for the decoded body of the response, in bytes; beyond it the transfer fails with
    /// `too_large`. It does not apply to a body for a ``receiver``.
    public var maxBodyBytes: Int {
        get { storage.fields.maxBodyBytes }
        set { change { $0.maxBodyBytes = newValue } }
    }
    /// Gets the body of a success as it arrives; the response then has none. Nil: the body is collected.
    public var receiver: (any BodyReceiver)? {
        get { storage.fields.receiver }
        set { change { $0.receiver = newValue } }
    }
    /// Counts the body of the response as it arrives; if there is no room for it, the transfer fails with the
    /// account's refusal.
    package var account: BodyAccount? { storage.fields.account }
    /// Whether the response must contain the address that it came from.
    package var wantsRemoteAddress: Bool { storage.fields.wantsRemoteAddress }
    /// Whether it must use a new connection.
    package var wantsFreshConnection: Bool { storage.fields.wantsFreshConnection }
    /// Whether a repeated message has the same effect as a single one.
    package var mayBeRepeated: Bool { method == "GET" || Method.mayBeRepeated(method, headers) }

    /// A message. The values are those of the properties by the same names.
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

/// The four time limits of a transfer. Nil means none; of zero or less, nothing can be in time.
public struct Timeouts: Sendable, Equatable {
    // 0 means none, as scripts write it.
    package var connectSeconds: Double = 10
    package var firstByteSeconds: Double = 30
    package var idleSeconds: Double = 30
    package var totalSeconds: Double = 120

    /// 10, 30, 30 and 120 seconds.
    public init() {}

    /// The limit for name look-up, connection and TLS handshake.
    public var connect: Duration? {
        get { Self.limit(connectSeconds) }
        set { connectSeconds = Self.seconds(newValue) }
    }

    /// The limit from the start of the connection, or from the time when one is available, to the first byte
    /// of the response; it does not include waiting for ``TransportOptions/maxConnectionsPerHost``.
    public var firstByte: Duration? {
        get { Self.limit(firstByteSeconds) }
        set { firstByteSeconds = Self.seconds(newValue) }
    }

    /// The limit without a byte in either direction, once the response has begun or while a body is sent.
    public var idle: Duration? {
        get { Self.limit(idleSeconds) }
        set { idleSeconds = Self.seconds(newValue) }
    }

    /// The limit for the whole request: waiting for permits and refreshes, all messages, chains and
    /// transformers.
    public var total: Duration? {
        get { Self.limit(totalSeconds) }
        set { totalSeconds = Self.seconds(newValue) }
    }

    private static func limit(_ seconds: Double) -> Duration? {
        seconds > 0 ? Duration(inSeconds: seconds) : nil
    }

    /// A limit that is over at once is the shortest time that there is.
    package static func seconds(_ limit: Duration?) -> Double {
        limit.map { max($0.inSeconds, .leastNormalMagnitude) } ?? 0
    }
}
