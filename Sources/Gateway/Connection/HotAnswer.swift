import NIOCore
import RestEngine

/// The answer to one target as it goes out, kept by one event loop. Head and body are rendered once for each
/// content and second; a hit writes what is there.
final class HotAnswer {
    let publication: Publication
    let passage: HeaderPassage
    let exposure: Exposure
    /// As what it is counted; see ``GatewayMetrics``.
    let labels: Int
    private let target: [UInt8]
    private let allowsGet: Bool
    private let allowsHead: Bool
    private var content: EncodedContent?
    /// The API's own fields of that content.
    private var kept = ByteBuffer()
    private var expiresAt = 0.0
    private var second = Int.min
    private(set) var head = ByteBuffer()
    /// Head and body, or the head alone when `body` is not nil.
    private(set) var whole = ByteBuffer()
    private(set) var body: ByteBuffer?
    private(set) var bodyCount = 0
    var status: Int { content?.status ?? 200 }

    init(target: [UInt8], _ shown: EngineClient.Shown, _ exposure: Exposure) {
        self.target = target
        self.exposure = exposure
        publication = shown.publication
        passage = shown.passage
        labels = shown.labels
        allowsGet = shown.methods.contains("GET")
        allowsHead = shown.methods.contains("HEAD")
    }

    /// The same resource under the same rules: those that were in force when this was made are, as the loop
    /// forgets all targets with new ones.
    func shows(_ shown: EngineClient.Shown, _ exposure: Exposure) -> Bool {
        publication === shown.publication && self.exposure === exposure && labels == shown.labels
    }

    @inline(__always)
    func allows(_ method: RequestHead.Method) -> Bool {
        switch method {
        case .get: allowsGet
        case .head: allowsHead
        case .other: false
        }
    }

    @inline(__always)
    func isFor(_ other: UnsafeRawBufferPointer) -> Bool {
        target.withUnsafeBytes { $0.elementsEqual(other) }
    }

    func withTarget<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        target.withUnsafeBytes(body)
    }

    /// Makes the buffers those of `answer` in the second of `now`.
    @inline(__always)
    func render(_ answer: PublishedAnswer, now: Double, _ writer: inout AnswerWriter) {
        let second = Int(now)
        if second == self.second, content === answer.content, expiresAt == answer.expiresAt { return }
        renderAnew(answer, now: now, second: second, &writer)
    }

    private func renderAnew(_ answer: PublishedAnswer, now: Double, second: Int, _ writer: inout AnswerWriter)
    {
        self.second = second
        expiresAt = answer.expiresAt
        if content !== answer.content { kept = passage.lines(of: answer.content) }
        content = answer.content
        let rendering = ContentRendering.of(answer.content)
        let rendered = rendering.plain.body
        let parts = AnswerWriter.ContentHead(
            statusLine: rendering.statusLine, fields: rendering.plain.fields,
            validators: rendering.plain.validators, kept: kept)
        head = writer.contentHead(parts, of: answer, .hit(.memory), now: now, AnswerWriter.Framing())
        whole = head
        body = rendered.join(&whole)
        bodyCount = rendered.count
    }

    /// Lets go of the content when nobody has asked for it since `second`, or it is no longer the resource's:
    /// that may be gone long ago, or have had to make room.
    func forget(unusedSince second: Int) {
        if content != nil, self.second < second || !publication.hasAnswer { forget() }
    }

    /// Lets go of a content that is no longer served.
    func forget() {
        guard content != nil else { return }
        content = nil
        kept = ByteBuffer()
        second = .min
        head = ByteBuffer()
        whole = head
        body = nil
    }
}
