public import Foundation
public import RestEngine

extension RequestError: LocalizedError {
    /// The sentence for people; `localizedDescription` is the same.
    public var errorDescription: String? { userMessage }

    /// The fault and its place, for people who can fix it.
    public var failureReason: String? { reason }
}

extension CodingError: LocalizedError {
    public var errorDescription: String? { description }
}

extension BaseURLError: LocalizedError {
    public var errorDescription: String? { description }
}

extension PatternError: LocalizedError {
    public var errorDescription: String? { description }
}

extension URL {
    /// The same URL; nil for text that Foundation takes for none.
    public init?(_ url: URLText) { self.init(string: url.string) }
}

extension Service {
    /// A service whose base is a `URL`.
    ///
    /// - Throws: ``BaseURLError`` for one that is not of http or https.
    public convenience init(
        engine: Engine, name: String, baseURL: URL,
        standardTransformers: [StandardTransformer] = StandardTransformer.allCases,
        transport: (any Transport)? = nil
    ) throws(BaseURLError) {
        try self.init(
            engine: engine, name: name, baseURL: baseURL.absoluteString,
            standardTransformers: standardTransformers, transport: transport)
    }

    /// The resource at a URL; an invalid one for what is not absolute (1.9).
    public func resource(absoluteURL url: URL) -> Resource { resource(absoluteURL: url.absoluteString) }
}

extension Entity {
    /// When it was received or last confirmed.
    public var date: Date { Date(timeIntervalSince1970: timestamp) }
}

extension RequestError {
    /// When it happened.
    public var date: Date { Date(timeIntervalSince1970: timestamp) }
}

extension ContentHolder {
    /// The content as bytes: a body as it is, text in UTF-8, JSON as compact text; nil for what a transformer
    /// made and when there is none.
    public var data: Data? {
        switch contentEntity?.content {
        case .bytes(let bytes): Data(bytes)
        case .text(let text): Data(text.utf8)
        case .json(let tree), .value(let tree): (try? tree.json()).map { Data($0) }
        case .image(let image): Data(image.bytes)
        case .native(let value): value as? Data
        case nil: nil
        }
    }
}

extension RequestBody {
    /// Bytes, as `application/octet-stream` unless the request says otherwise.
    public static func data(_ data: Data) -> RequestBody { .bytes([UInt8](data)) }
}
