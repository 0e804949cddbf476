import NIOCore
import NIOSSL
import Platform
import RestEngine

/// The TLS configuration of one listener.
struct ListenerSecurity: Sendable {
    let context: NIOSSLContext
    /// See ``ListenerSecrets/authority``.
    let authority: [UInt8]?
}

/// The TLS state of a connection. Event loop only.
final class SecureSide {
    let writer = PacedWriter()
    let authority: [UInt8]?
    /// The connection is a stream of HTTP/2.
    let isStream: Bool
    /// The client's certificate; nil if it has none.
    var certificate: ClientCertificate?
    /// The connection speaks HTTP/2.
    var carriesStreams = false

    init(authority: [UInt8]?) {
        self.authority = authority
        isStream = false
    }

    init(ofStreamOn other: SecureSide) {
        authority = other.authority
        certificate = other.certificate
        isStream = true
    }
}

/// The TLS data of a gateway's listeners, read from its files (rules 61).
struct ListenerSecrets: Sendable {
    private let contexts: [String: NIOSSLContext]
    /// Identifies the authority of clients' certificates; nil if none is configured.
    let authority: [UInt8]?
    /// The files with certificates, and when the first certificate of each ends, in Unix seconds.
    private(set) var ends: [String: Double] = [:]

    private static let protocols = ["h2", "http/1.1"]
    private static let maxFileBytes = 1 << 20
    /// The time that a client has for its close_notify before its socket is closed.
    private static let goodbye = TimeAmount.seconds(1)

    init(_ configuration: GatewayConfiguration) throws(GatewayError) {
        var roots: [NIOSSLCertificate] = []
        var authority: [UInt8]?
        if let file = configuration.clientCertificates?.authority {
            let bytes = try Self.read(file)
            roots = try Self.certificates(bytes, file)
            ends[file] = Self.end(of: roots)
            authority = HashFunction.sha256.digest(of: bytes)
        }
        self.authority = authority
        // Clients that can show nothing else need a certificate.
        let needsCertificate = !configuration.takesSecrets
        var made: [GatewayTLS: NIOSSLContext] = [:]
        var contexts: [String: NIOSSLContext] = [:]
        for text in configuration.listen {
            guard let tls = configuration.tls(of: text) else { continue }
            if made[tls] == nil {
                let chain = try Self.certificates(Self.read(tls.certificate), tls.certificate)
                ends[tls.certificate] = Self.end(of: chain)
                made[tls] = try Self.context(tls, chain, roots, needsCertificate)
            }
            contexts[text] = made[tls]
        }
        guard contexts.isEmpty == false || authority == nil else {
            throw .badTLS("client certificates need a listener with TLS, and there is none")
        }
        self.contexts = contexts
    }

    /// Whether listeners with TLS speak a protocol of this name.
    static func speaks(_ name: [UInt8]) -> Bool { protocols.contains { $0.utf8.elementsEqual(name) } }

    /// The security of a listener, by its text; nil without TLS.
    func security(of text: String) -> ListenerSecurity? {
        contexts[text].map { ListenerSecurity(context: $0, authority: authority) }
    }

    /// Sets the security of later connections. The listeners are in the order of the configuration.
    func take(over listeners: [Listener], _ configuration: GatewayConfiguration) {
        for (listener, text) in zip(listeners, configuration.listen) {
            listener.state.use(security(of: text))
        }
    }

    private static func context(
        _ tls: GatewayTLS, _ chain: [NIOSSLCertificate], _ roots: [NIOSSLCertificate],
        _ needsCertificate: Bool
    ) throws(GatewayError) -> NIOSSLContext {
        let key = try privateKey(tls.key)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        // With TLS 1.2, only suites that keep a recording secret when the key is lost (RFC 9325 4.2).
        configuration.cipherSuites = "ECDH+AESGCM:ECDH+CHACHA20"
        configuration.applicationProtocols = protocols
        configuration.shutdownTimeout = goodbye
        if !roots.isEmpty {
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification =
                needsCertificate ? .noHostnameVerification : .optionalVerification
            configuration.sendCANameList = true
        }
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw .badCertificate(
                tls.key, why: "it is not the key of the certificate \(tls.certificate), or no key for TLS")
        }
    }

    private static func end(of certificates: [NIOSSLCertificate]) -> Double? {
        certificates.map { Double($0.notValidAfter) }.min()
    }

    private static func certificates(
        _ bytes: [UInt8], _ path: String
    ) throws(GatewayError) -> [NIOSSLCertificate] {
        guard let found = try? NIOSSLCertificate.fromPEMBytes(bytes), !found.isEmpty else {
            throw .badCertificate(path, why: "it has no certificate in PEM, -----BEGIN CERTIFICATE-----")
        }
        return found
    }

    private static func privateKey(_ path: String) throws(GatewayError) -> NIOSSLPrivateKey {
        let bytes = try read(path)
        if String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED") {
            throw .badCertificate(path, why: "the key has a passphrase, which can't be typed here")
        }
        guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            throw .badCertificate(path, why: "it has no private key in PEM, -----BEGIN PRIVATE KEY-----")
        }
        return key
    }

    private static func read(_ path: String) throws(GatewayError) -> [UInt8] {
        do throws(FileError) { return try WholeFile.read(path, limit: maxFileBytes) } catch {
            throw .badCertificate(path, why: error.reason)
        }
    }
}
