internal import NIOSSL

/// TLS of the connections of one client.
struct RedisSecurity {
    private let authorityFile: String?
    private var context: NIOSSLContext?

    /// - Parameter authorityFile: See ``RedisServers/authorityFile``.
    init(authorityFile: String?) { self.authorityFile = authorityFile }

    /// Throws a failure that says what is wrong with the file of authorities.
    mutating func handler(for address: RedisAddress) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: try makeContext(), serverHostname: address.serverName)
    }

    private mutating func makeContext() throws -> NIOSSLContext {
        if let context { return context }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let authorityFile { configuration.trustRoots = try Self.roots(authorityFile) }
        let new = try NIOSSLContext(configuration: configuration)
        context = new
        return new
    }

    private static func roots(_ path: String) throws(RedisFailure) -> NIOSSLTrustRoots {
        // An empty list would trust nobody, and the file would not be named.
        guard let roots = try? NIOSSLCertificate.fromPEMFile(path), !roots.isEmpty else {
            throw RedisFailure(.unreachable, "'\(path)' is no file of certificates (PEM) that can be read")
        }
        return .certificates(roots)
    }

    /// A sentence for the errors that a server's certificate causes; nil for others.
    static func explain(_ error: any Error) -> String? {
        if case .failedToValidateHostname? = error as? NIOSSLExtraError {
            return "the server's certificate is for another host"
        }
        guard let error = error as? NIOSSLError, case .handshakeFailed(let reason) = error else { return nil }
        let text = "\(reason)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return "the server's certificate is not trusted: it is of another authority, or not valid now"
        }
        return text.contains("WRONG_VERSION_NUMBER") ? "the server doesn't speak TLS here" : nil
    }
}

extension RedisAddress {
    /// The name in the server's certificate; nil for an address, which is checked without one.
    fileprivate var serverName: String? {
        guard case .network(let host, _) = place else { return nil }
        let isNumeric =
            host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
        return isNumeric ? nil : host
    }
}
