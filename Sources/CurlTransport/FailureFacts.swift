internal import CCurl
internal import Platform
internal import RestEngine

/// Facts about a failed transfer beside its code: why it failed, and where it was to go.
struct FailureFacts {
    /// libcurl's own text.
    var detail = ""
    /// The system's number of the last failure to connect; 0 for none.
    var systemError: Int32 = 0
    /// Why no socket could be made; 0 for none.
    var socketError: Int32 = 0
    /// A proxy's answer to CONNECT; 0 for none.
    var tunnelStatus = 0
    /// It was a proxy's certificate that was not good.
    var isProxyDistrusted = false
    /// Host and port of the URL.
    var server = ""
    /// The options of the transport.
    var proxy: String?
    var unixSocket: String?

    /// The same error with its reason and its peer.
    func explain(_ error: TransportError, _ curlCode: UInt32) -> TransportError {
        var explained = error
        switch CURLcode(curlCode) {
        case CURLE_COULDNT_CONNECT where [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(socketError):
            return TransportError(
                error.code, phase: error.phase, message: "this host can open no further connection",
                reason: Self.inSentence(String(cString: strerror(socketError))), isShortage: true)
        case CURLE_COULDNT_CONNECT:
            explained.reason = systemReason
            explained.peer = unixSocket.map { "socket \($0)" } ?? dialled ?? server
            if unixSocket == nil, let dialled, dialled != server {
                explained.message = "cannot connect to the proxy"
                explained.peer = "proxy \(dialled)"
            }
        case CURLE_COULDNT_RESOLVE_HOST: explained.peer = Self.host(of: server)
        case CURLE_COULDNT_RESOLVE_PROXY: explained.peer = proxy.map { "proxy \(Self.address(of: $0))" }
        case CURLE_PROXY: explained.peer = proxy.map { "proxy \(Self.address(of: $0))" }
        case CURLE_RECV_ERROR where tunnelStatus >= 300:
            explained.phase = .connect
            explained.message = "the proxy refused to connect to the server"
            explained.reason = "it answered \(tunnelStatus)"
            explained.peer = proxy.map { "proxy \(Self.address(of: $0))" }
        case CURLE_SEND_ERROR where isClientDistrusted, CURLE_RECV_ERROR where isClientDistrusted:
            // In TLS 1.3 the server looks at it when the handshake is over for the client (RFC 8446 4.4.2.4).
            return TransportError(
                .tlsFailed, phase: .tls, message: "the client's certificate can't be used or is asked for",
                reason: tlsReason)
        case CURLE_SSL_CONNECT_ERROR where isCut:
            return TransportError(
                .connectionFailed, phase: .tls, message: "the connection broke during the TLS handshake",
                reason: "the server closed the connection")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            explained.reason = detail.firstRange(of: " failure: ").map {
                Self.inSentence(detail[$0.upperBound...])
            }
        case CURLE_PEER_FAILED_VERIFICATION where isProxyDistrusted:
            explained.message = TransportError.distrust(of: "proxy", detail)
            explained.peer = proxy.map { "proxy \(Self.address(of: $0))" }
        case CURLE_SSL_CONNECT_ERROR: explained.reason = tlsReason
        case CURLE_UNSUPPORTED_PROTOCOL where detail.contains("HTTP/0.9"):
            // A TLS server answers plain text with an alert.
            explained.reason = "another protocol, TLS perhaps, which is https:// in base_url"
        default: break
        }
        return explained
    }

    private var systemReason: String? {
        guard systemError != 0 else { return nil }
        return Self.inSentence(String(cString: strerror(systemError)))
    }

    private static func inSentence(_ text: some StringProtocol) -> String {
        text.prefix(1).lowercased() + text.dropFirst()
    }

    /// "Failed to connect to HOST port PORT after …": the one that was tried, which may be a proxy of the
    /// environment.
    private var dialled: String? {
        guard let start = detail.firstRange(of: "onnect to ")?.upperBound,
            let port = detail[start...].firstRange(of: " port ")
        else { return nil }
        let number = detail[port.upperBound...].prefix { $0.isNumber }
        guard !number.isEmpty else { return nil }
        let host = detail[start..<port.lowerBound]
        return host.contains(":") && !host.hasPrefix("[") ? "[\(host)]:\(number)" : "\(host):\(number)"
    }

    /// The other side's answer in place of a handshake, from OpenSSL's words in libcurl's text.
    private var tlsReason: String? {
        let text = detail.lowercased()
        if let alert = text.firstRange(of: " alert ")?.upperBound {
            return "the server answered with the alert '\(text[alert...].prefix { $0 != "," })'"
        }
        if ["wrong version number", "http request", "packet length too long"].contains(where: text.contains) {
            return
                "the server answered with something that is not TLS; plain HTTP perhaps, which is http:// in "
                + "base_url"
        }
        if ["unsupported protocol", "no protocols available"].contains(where: text.contains) {
            return "no version of TLS is common to both sides"
        }
        return nil
    }

    /// The connection ended in the middle of a handshake, which says nothing of certificates.
    private var isCut: Bool {
        let text = detail.lowercased()
        return [
            "unexpected eof", "ssl_error_syscall", "ssl_error_zero_return", "connection reset", "broken pipe",
        ].contains(where: text.contains)
    }

    /// The server's alert is about the client's certificate (RFC 8446 6.2).
    private var isClientDistrusted: Bool {
        let text = detail.lowercased()
        guard let alert = text.firstRange(of: " alert ")?.upperBound else { return false }
        return text[alert...].contains("certificate") || text[alert...].hasPrefix("unknown ca")
    }

    private static func host(of address: String) -> String {
        address.lastIndex(of: ":").map { String(address[..<$0]) } ?? address
    }

    /// Host and port of a proxy's URL, without what may be secret.
    private static func address(of proxy: String) -> String {
        var rest = proxy[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        rest = rest.prefix { $0 != "/" }
        return String(rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest)
    }
}

extension EasyHandle {
    /// Of the transfer that has just failed.
    var failureFacts: FailureFacts {
        var facts = FailureFacts(detail: errorDetail, proxy: proxy, unixSocket: unixSocket)
        var number = 0
        ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number)
        facts.socketError = socketError
        facts.systemError = Int32(truncatingIfNeeded: number)
        ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &facts.tunnelStatus)
        var verification = 0
        ccurl_get_long(easy, CURLINFO_PROXY_SSL_VERIFYRESULT, &verification)
        facts.isProxyDistrusted = verification != 0
        if let url = URLText(url), let host = url.host {
            facts.server = "\(host):\(url.port ?? (url.scheme == "https" ? 443 : 80))"
        }
        return facts
    }
}
