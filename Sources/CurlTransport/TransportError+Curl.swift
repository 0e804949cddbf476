internal import CCurl
internal import RestEngine

extension TransportError {
    /// The engine's error for a failure of libcurl. Every code is covered: one without a case is a fault of
    /// ours.
    ///
    /// `detail` is libcurl's own text. Only its words on a certificate's fault are shown; the rest may name
    /// what was requested.
    init(curlCode: UInt32, hasResponse: Bool, detail: String) {
        let reading: Phase = hasResponse ? .receive : .firstByte
        let (code, phase, message): (Code, Phase?, String) =
            switch CURLcode(curlCode) {
            case CURLE_URL_MALFORMAT: (.invalidURL, nil, "the URL can't be read")
            case CURLE_LOGIN_DENIED: (.invalidURL, nil, "the URL's user name or password is not allowed")
            case CURLE_COULDNT_RESOLVE_HOST: (.dnsFailed, .dns, "the host's name can't be resolved")
            case CURLE_COULDNT_RESOLVE_PROXY: (.dnsFailed, .dns, "the proxy's name can't be resolved")
            case CURLE_COULDNT_CONNECT: (.connectionFailed, .connect, "cannot connect to the server")
            case CURLE_INTERFACE_FAILED:
                (.connectionFailed, .connect, "the outgoing network interface can't be used")
            case CURLE_PROXY: (.connectionFailed, .connect, "the proxy refused the connection")
            case CURLE_NO_CONNECTION_AVAILABLE: (.queueFull, .connect, "no connection is free")
            case CURLE_OPERATION_TIMEDOUT:
                (.timeout, .total, "the transfer did not end within the time limit")
            case CURLE_SEND_ERROR:
                (.connectionFailed, .send, "the connection broke while the request was sent")
            case CURLE_SEND_FAIL_REWIND:
                (.connectionFailed, .send, "the request's body can't be sent a second time")
            case CURLE_RECV_ERROR where detail.contains("chunked-encoding"):
                (.decodingFailed, .receive, "the chunks of the response's body can't be read")
            case CURLE_RECV_ERROR:
                (.connectionFailed, reading, "the connection broke while the response was awaited or read")
            case CURLE_GOT_NOTHING:
                (.connectionFailed, .firstByte, "the server closed the connection without a response")
            case CURLE_PARTIAL_FILE:
                (.connectionFailed, .receive, "the connection was closed before the response was complete")
            case CURLE_HTTP2, CURLE_HTTP2_STREAM:
                (.connectionFailed, reading, "the server ended the HTTP/2 stream with an error")
            case CURLE_HTTP3, CURLE_QUIC_CONNECT_ERROR:
                (.connectionFailed, reading, "the server ended the HTTP/3 stream with an error")
            case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
                // The URL's scheme was checked before, so it is the answer that is of no supported protocol.
                (.decodingFailed, .firstByte, "the server's answer is not HTTP")
            case CURLE_BAD_FUNCTION_ARGUMENT:
                // A line without a colon, with a NUL, or that goes on with none (curl_easy_header(3)).
                (.decodingFailed, reading, "a line of the response's head or trailers can't be read")
            case CURLE_BAD_CONTENT_ENCODING:
                (.decodingFailed, .receive, Self.undecodableBody.message)
            case CURLE_RANGE_ERROR, CURLE_BAD_DOWNLOAD_RESUME:
                (.decodingFailed, .receive, "the response's range is not the one that was asked for")
            case CURLE_FILESIZE_EXCEEDED: (.tooLarge, .receive, "the response's body is too large")
            case CURLE_TOO_MANY_REDIRECTS:
                (.internal, .receive, "libcurl followed redirects that are not its own")
            case CURLE_OUT_OF_MEMORY: (.internal, nil, "libcurl has no memory for the transfer")
            case CURLE_ABORTED_BY_CALLBACK, CURLE_READ_ERROR, CURLE_WRITE_ERROR:
                (.internal, nil, "the transfer was stopped from inside")
            case CURLE_SSL_CONNECT_ERROR:
                (.tlsFailed, .tls, Self.sentence("the TLS handshake failed", detail))
            case CURLE_PEER_FAILED_VERIFICATION:
                (.tlsFailed, .tls, Self.distrust(of: "server", detail))
            case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
                (.tlsFailed, .tls, "the file of trusted certificates can't be read")
            case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
                (.tlsFailed, .tls, "the client's certificate can't be used or is asked for")
            case CURLE_SSL_CIPHER: (.tlsFailed, .tls, "no TLS cipher is common to both sides")
            case CURLE_SSL_ISSUER_ERROR:
                (.tlsFailed, .tls, "the issuer of the server's certificate is not the expected")
            case CURLE_SSL_INVALIDCERTSTATUS:
                (.tlsFailed, .tls, "the server's certificate status is not good")
            case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
                (.tlsFailed, .tls, "the server's public key is not the pinned one")
            case CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
                CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
                (.tlsFailed, .tls, "the TLS library failed")
            default:
                (
                    .internal, nil,
                    "libcurl failed in a way that HTTP does not have (code \(curlCode))"
                )
            }
        self.init(code, phase: phase, message: message)
    }

    /// All failures that this libcurl knows.
    static let curlCodes: Range<UInt32> = 1..<CURL_LAST.rawValue

    static func distrust(of party: String, _ detail: String) -> String {
        sentence("the \(party)'s certificate can't be trusted", detail)
    }

    private static func sentence(_ text: String, _ detail: String) -> String {
        let prefixes = ["SSL certificate problem: ", "SSL: "]
        let prefix = prefixes.first { detail.hasPrefix($0) }
        guard let prefix else { return text }
        return text + ": " + detail.dropFirst(prefix.count)
    }
}

/// Faults of a response that libcurl accepts, or has no code for.
extension TransportError {
    static let headTooLarge = TransportError(
        .tooLarge, phase: .firstByte,
        message:
            "the response's head or trailers are larger than the limit of \(ResponseHead.maxBytes) bytes",
        limit: ResponseHead.maxBytes)

    /// libcurl's CURL_MAX_HTTP_HEADER.
    static let lineTooLarge = TransportError(
        .tooLarge, phase: .firstByte,
        message: "a line of the response's head is larger than the limit of \(100 << 10) bytes",
        limit: 100 << 10)

    static func staleConnection(isSentOnce: Bool) -> TransportError {
        TransportError(
            .connectionFailed, phase: .firstByte,
            message: "the connection, which was kept from an earlier request, broke before a response"
                + (isSentOnce ? ", and the request may not be sent twice" : ""),
            isStaleConnection: true)
    }

    static let incompleteHead = TransportError(
        .connectionFailed, phase: .firstByte,
        message: "the connection was closed before the response's head was complete")

    static let unaskedProtocol = TransportError(
        .decodingFailed, phase: .firstByte,
        message: "the server switched to another protocol, for which nobody asked (101)")

    static let contradictoryLength = TransportError(
        .decodingFailed, phase: .firstByte, message: "the response has several lengths that differ")

    static let lengthTooLarge = TransportError(
        .tooLarge, phase: .receive, message: "the response announces a length of more than 64 bits")

    static func incompleteBody(_ codings: [String]) -> TransportError {
        TransportError(
            .decodingFailed, phase: .receive,
            message: "the response's body ends in the middle of its \(codings.joined(separator: ", ")) coding"
        )
    }

    static let undecodableBody = TransportError(
        .decodingFailed, phase: .receive, message: "the response's content encoding can't be decoded")
}
