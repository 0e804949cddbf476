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

    init(_ value: Output, _ entity: Entity, _ exchange: Exchange?) {
        self.value = value
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
