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
    /// A PEM file of certificates to trust in place of the system's.
    public var caFile: String?
    /// Proxy for all hosts, as `scheme://host:port`; an empty string is no proxy. Nil follows the environment
    /// (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`).
    public var proxy: String?
    /// Path of a Unix domain socket to connect to whatever the URL's host is.
    public var unixSocket: String?
    /// Sent when a request has no User-Agent.
    public var userAgent = "resthost/0.1.0"

    public init() {}
}
