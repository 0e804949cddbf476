internal import CCurl
internal import Platform
internal import RestEngine

/// Owner of one easy handle and of what its callbacks fill.
///
/// Not bound to an actor by its type, because libcurl calls back without one; it is reached from its pool,
/// from a transfer and inside the pass of its ``TransferSet`` only, which are one thread's.
final class EasyHandle {
    let easy: UnsafeMutableRawPointer
    let time: LoopTime
    let sockets: SocketWatch
    let urls: ParsedURLs
    let hasConnectionCaps: Bool
    let hasHTTP2: Bool
    /// As the transport's options have them, for what is said of failures.
    let proxy: String?
    let userAgent: String
    let unixSocket: String?
    private var addresses: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// Place in the set's list of running transfers; -1 when it has none.
    var index = -1
    var transfer: CurlTransfer?
    /// libcurl has not got it yet.
    var isWaiting = false
    /// Where the handle goes back to; nil while nothing runs.
    var pool: EasyHandlePool?

    // Of the request; kept until the next one to see what differs.
    var url = ""
    var parsedURL: ParsedURL?
    var headerList: HeaderList?
    var shape = RequestShape()
    var connectLimit = -1
    var isFreshConnectionForced = false

    // Of the running transfer.
    var upload: UploadReader?
    var form: UploadForm?
    /// There was nothing to send, and libcurl waits for the transfer to go on.
    var isUploadHeld = false
    /// Why the upload stopped.
    @Boxed var uploadFailure: TransportError?
    var maxBodyBytes = 0
    var isHead = false
    var wantsRemoteAddress = false
    /// The server might do twice what it is asked twice.
    var isSentOnce = false
    /// No connection that another request has had to itself.
    var wantsFreshConnection = false
    /// Sockets that were made for this transfer; none of one that goes over a connection which was there.
    var openedSockets: [Int32] = []
    /// The connection that libcurl chose was refused before anything was sent: it has input without a
    /// request, or is not as fresh as it has to be.
    var hasRefusedConnection = false
    /// libcurl has sent the request a second time, on another connection.
    var isSentAgain = false
    var hasSucceeded = false
    // Unchecked: a callback touches these for each chunk, and none runs while another part of this type does.
    @exclusivity(unchecked) var deadlines = TransferDeadlines(limits: Timeouts(), start: 0)
    @exclusivity(unchecked) var head = ResponseHead()
    @exclusivity(unchecked) var body = ReceivedBody()
    /// Counts the body's bytes; nil when they are not counted.
    var account: BodyAccount?
    var decoder: BodyDecoder?
    /// Of a request whose body goes to a receiver.
    var stream: BodyStream?
    /// Of the chunk that was refused for now.
    var decodedOfChunk = 0
    /// The transfer is paused until the next pass.
    var isResting = false
    /// The system's number of why no socket could be made; 0 for none.
    var socketError: Int32 = 0
    /// Why the rest of the response isn't wanted.
    @Boxed var refusal: TransportError?
    /// The refusal is that of a thread which can't make room for a body.
    var wantsRoom = false
    /// The progress of a transfer that runs on another thread, for the engine loop.
    var gauge: TransferGauge?

    init(
        options: TransportOptions, time: LoopTime, sockets: SocketWatch, urls: ParsedURLs
    ) throws(TransportError) {
        guard let easy = curl_easy_init() else {
            throw TransportError(.internal, message: "libcurl has no memory for another transfer")
        }
        self.easy = easy
        self.time = time
        self.sockets = sockets
        self.urls = urls
        hasConnectionCaps = options.maxConnectionsPerHost != nil || options.maxTotalConnections != nil
        hasHTTP2 = options.http2
        proxy = options.proxy
        userAgent = options.userAgent
        unixSocket = options.unixSocket
        errorText.pointee = 0
        setConstants(options)
        setCallbacks()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(addresses)
        errorText.deallocate()
    }

    /// libcurl's text about the failure. It names hosts and certificates, never secrets.
    var errorDetail: String { String(cString: errorText) }

    /// It may have another transfer. libcurl counts how often it has sent requests of a handle again, over
    /// all of the handle's transfers, and gives up the sixth time; only curl_easy_reset(3) sets that back.
    /// One that failed or was cancelled may have been sent again too.
    var isAsNew: Bool { deadlines.connected == nil || hasSucceeded && !isSentAgain }

    /// Lets go of what the last transfer held.
    func clear() {
        isSentAgain = false
        hasSucceeded = false
        if !openedSockets.isEmpty { openedSockets = [] }
        hasRefusedConnection = false
        transfer = nil
        upload = nil
        form = nil
        uploadFailure = nil
        if body.isInPieces { LargeContent.discard(takeBody()) } else { body = ReceivedBody() }
        account = nil
        decoder = nil
        stream = nil
        decodedOfChunk = 0
        isResting = false
        isUploadHeld = false
        refusal = nil
        wantsRoom = false
        gauge = nil
        socketError = 0
        head.clear()
        errorText.pointee = 0
    }

    /// Goes on with a transfer that rested; libcurl calls back meanwhile (curl_easy_pause(3)).
    func resume() -> CURLcode {
        isResting = false
        return curl_easy_pause(easy, CURLPAUSE_RECV_CONT | CURLPAUSE_SEND_CONT)
    }

    private func setConstants(_ options: TransportOptions) {
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        // A proxy's answer to CONNECT is no head of the response.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_HTTP_VERSION, options.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_BUFFERSIZE, 16 << 10)
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        // Without it, ending a transfer that is looking up a name waits for the resolver's thread, and the
        // loop with it (CURLOPT_QUICK_EXIT(3)).
        set(CURLOPT_QUICK_EXIT, 1)
        setTrust(options)
        setRoute(options)
        ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    }

    /// Whom to trust, and as whom to appear. Of connections in the pool libcurl takes only those that were
    /// made with the same.
    private func setTrust(_ options: TransportOptions) {
        if options.caFile != nil || options.caPath != nil {
            // Both: the system's is a file and a folder, and what isn't replaced would be trusted still.
            set(CURLOPT_CAINFO, options.caFile)
            set(CURLOPT_CAPATH, options.caPath)
            // Of an https:// proxy too.
            set(CURLOPT_PROXY_CAINFO, options.caFile)
            set(CURLOPT_PROXY_CAPATH, options.caPath)
        }
        if let file = options.clientCertificate { set(CURLOPT_SSLCERT, file) }
        if let file = options.clientKey { set(CURLOPT_SSLKEY, file) }
        if !options.pins.isEmpty { set(CURLOPT_PINNEDPUBLICKEY, options.pins.joined(separator: ";")) }
        let version: Int? =
            switch options.minTLS {
            case .tls12: Int(CURL_SSLVERSION_TLSv1_2)
            case .tls13: Int(CURL_SSLVERSION_TLSv1_3)
            case nil: nil
            }
        if let version {
            set(CURLOPT_SSLVERSION, version)
            set(CURLOPT_PROXY_SSLVERSION, version)
        }
    }

    private func setRoute(_ options: TransportOptions) {
        // Said only once where the environment has none, in place of libcurl's looking at each transfer.
        if let proxy = options.proxy ?? Self.none("http_proxy", "https_proxy", "all_proxy") {
            set(CURLOPT_PROXY, proxy)
        }
        // For what the proxy itself is asked; the rest has it in its HeaderList.
        if options.proxy != nil || Self.none("http_proxy", "https_proxy", "all_proxy") == nil {
            set(CURLOPT_USERAGENT, options.userAgent)
        }
        if let hosts = options.noProxy ?? Self.none("no_proxy") { set(CURLOPT_NOPROXY, hosts) }
        if let path = options.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        switch options.ip {
        case .v4: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .v6: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        case .any: break
        }
        // Not CURLOPT_RESOLVE, which writes into the cache of names that all transfers share.
        for (place, address) in options.addresses.sorted(by: { $0.key < $1.key }) {
            let host = address.contains(":") && !address.hasPrefix("[") ? "[\(address)]" : address
            addresses = curl_slist_append(addresses, "\(place):\(host):")
        }
        if let addresses { ccurl_set_list(easy, CURLOPT_CONNECT_TO, addresses) }
    }

    /// The empty text unless one of these variables is set, in lower case or upper case.
    private static func none(_ names: String...) -> String? {
        names.allSatisfy { getenv($0) == nil && getenv($0.uppercased()) == nil } ? "" : nil
    }

    /// For options whose old value must not stay: libcurl may have no memory, or find the value too long.
    func setOrThrow(_ option: CURLoption, _ value: String?) throws(TransportError) {
        guard ccurl_set_string(easy, option, value) == CURLE_OK else {
            throw TransportError(
                .internal, message: "libcurl has no memory for the request, or it is too long")
        }
    }

    func set(_ option: CURLoption, _ value: Int) { ccurl_set_long(easy, option, value) }

    func set(_ option: CURLoption, _ value: String?) { ccurl_set_string(easy, option, value) }
}
