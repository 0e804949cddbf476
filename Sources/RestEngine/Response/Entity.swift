/// A piece of data with what was said about it: the outcome of a request, what a resource holds, what a cache keeps.
public struct Entity: Sendable {
    /// What the pipeline made of the body, or the body itself.
    public var content: Content
    /// As received, or as given when it was made locally.
    public var headers: Headers
    /// The charset that the server named, or that was given; nil when nobody said (rule 19.3).
    public var charset: String?
    /// When it was received or last confirmed, Unix time in seconds.
    public var timestamp: Double
    /// Of the response that the content came with, from 100 to 999; nil if it was made locally (D37). A 304 confirms
    /// the entity that is there, which keeps its own.
    public var status: Int?
    /// Where that response came from, after redirects.
    public var url: String?
    /// In which HTTP: `1.1`, `2`.
    public var httpVersion: String?

    /// A local or cached entity. `contentType` replaces a Content-Type among the headers.
    public init(
        content: Content, contentType: String? = nil, charset: String? = nil, headers: Headers = Headers(),
        timestamp: Double
    ) {
        self.content = content
        self.headers = headers
        self.timestamp = timestamp
        if let contentType { self.headers.set("Content-Type", contentType) }
        self.charset = charset ?? self.headers["Content-Type"].flatMap { MediaType($0).charset }
    }

    /// The entity of a server's response to a request of `url`.
    public init(response: TransportResponse, url: String? = nil, timestamp: Double) {
        content = .bytes(response.body)
        headers = response.headers
        charset = response.headers["Content-Type"].flatMap { MediaType($0).charset }
        self.timestamp = timestamp
        status = response.status
        self.url = url
        let version = response.httpVersion
        let number = version.hasPrefix("HTTP/") ? String(version.dropFirst(5)) : version
        httpVersion = number.isEmpty ? nil : number
    }

    /// The Content-Type with its parameters; `application/octet-stream` when there is none (19.2).
    public var contentType: String { headers["Content-Type"] ?? "application/octet-stream" }

    /// The ETag verbatim, quotes included (19.5).
    public var etag: String? { headers["ETag"] }

    /// The Last-Modified verbatim (D14).
    public var lastModified: String? { headers["Last-Modified"] }
}
