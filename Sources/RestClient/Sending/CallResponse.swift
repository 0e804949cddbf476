public import RestEngine

/// A successful answer to a call: its output, and what came with it.
public struct CallResponse<Output: Sendable>: Sendable {
    /// The output.
    public let value: Output
    /// The content behind the pipeline, with its headers.
    public let entity: Entity
    private let exchange: Exchange?
    /// The attempts and their outcomes, in order: more than one after retries, redirects or challenges, and
    /// none when no server was asked.
    public internal(set) var attempts: [RequestAttempt] = []

    /// - Throws: A ``RequestError`` for content that is no `Output`.
    init(
        _ entity: Entity, _ exchange: Exchange?, _ decoder: TreeDecoder, of call: Call<Output>
    ) throws(RequestError) {
        value = try entity.output(as: Output.self, exchange?.body, decoder, of: call)
        self.entity = entity
        self.exchange = exchange
    }

    /// Nil for what no server answered: the entity of a decorator, for example.
    public var status: Int? { exchange?.status ?? entity.status }

    /// As the server sent them.
    public var headers: Headers { exchange?.headers ?? entity.headers }

    /// As the server sent it, decompressed; nil for what no server answered.
    public var body: [UInt8]? { exchange?.body }

    /// Where the time of the last transfer went; nil for what no server answered.
    public var timings: TransferTimings? { exchange?.timings }

    /// Where the answer came from, after redirects.
    public var url: String? { exchange?.url ?? entity.url }

    /// `1.1`, `2`.
    public var httpVersion: String? { entity.httpVersion }

    /// How many redirects led there.
    public var redirects: Int { exchange?.redirects ?? 0 }
}

extension Call {
    /// The output is the body, whatever the pipeline makes of it.
    static var isOfBody: Bool {
        switch Output.self {
        case is [UInt8].Type, is [UInt8]?.Type, is String.Type, is String?.Type: true
        default: false
        }
    }
}

extension Entity {
    /// The output of a call.
    ///
    /// - Parameter body: As the server sent it, for outputs that are the body.
    func output<Output>(
        as type: Output.Type, _ body: [UInt8]?, _ decoder: TreeDecoder, of call: Call<some Any>
    ) throws(RequestError) -> Output {
        if let whole = self as? Output { return whole }
        // An output of no type takes any content.
        if let nothing = () as? Output { return nothing }
        if let value = content.cast(to: type) { return value }
        if let body, let whole = output(as: type, ofBody: body) { return whole }
        do throws(RequestError) { return try content(as: type, decoder: decoder) } catch {
            var error = error
            error.url = error.url ?? url ?? call.url
            error.method = error.method ?? call.method?.rawValue
            throw error
        }
    }

    /// The body itself as bytes or text; nil for other outputs, and for what is no text in its charset.
    private func output<Output>(as type: Output.Type, ofBody body: [UInt8]) -> Output? {
        switch type {
        case is [UInt8].Type, is [UInt8]?.Type: body as? Output
        case is String.Type, is String?.Type: TextCharset(charset ?? "utf-8")?.decode(body) as? Output
        default: nil
        }
    }
}
