import NIOCore
import NIOHPACK
import NIOHTTP2
import RestEngine

/// The rendered answers to one target, kept by one event loop. There is one form for each of the few
/// combinations of conditions that clients send.
final class HotAnswer {
    let answerSnapshot: AnswerSnapshot
    let forwarded: ForwardedHeaders
    let accessPolicy: AccessPolicy
    /// The labels of its metrics; see ``GatewayMetrics``.
    let labels: Int
    private let target: [UInt8]
    private let allowsGet: Bool
    private let allowsHead: Bool
    /// For clients that send no conditions.
    private let usual = PrerenderedResponse(nil, .usual)
    private var others: [PrerenderedResponse] = []
    private static let mostOthers = 4

    init(target: [UInt8], _ shown: EngineClient.Shown, _ accessPolicy: AccessPolicy) {
        self.target = target
        self.accessPolicy = accessPolicy
        answerSnapshot = shown.answerSnapshot
        forwarded = shown.forwarded
        labels = shown.labels
        allowsGet = shown.methods.contains("GET")
        allowsHead = shown.methods.contains("HEAD")
    }

    /// Whether it shows the same resource under the same rules. The loop forgets all targets when the rules
    /// change, so the rules are those under which this was made.
    func shows(_ shown: EngineClient.Shown, _ accessPolicy: AccessPolicy) -> Bool {
        answerSnapshot === shown.answerSnapshot && self.accessPolicy === accessPolicy
            && labels == shown.labels
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

    /// The form for clients with these conditions; nil means the usual ones. The oldest form makes room for a
    /// new one.
    @inline(__always)
    func form(for conditions: KnownConditions?) -> PrerenderedResponse {
        guard let conditions else { return usual }
        for form in others where form.known === conditions { return form }
        if others.count == Self.mostOthers { others.removeFirst() }
        let form = PrerenderedResponse(conditions, conditions.conditions)
        others.append(form)
        return form
    }

    /// Frees contents that no client has asked for since `second`, and contents that the resource no longer
    /// has.
    func forget(unusedSince second: Int) {
        usual.forget(unusedSince: second, answerSnapshot)
        others.removeAll { $0.forget(unusedSince: second, answerSnapshot) }
    }

    /// Frees a content that is no longer served.
    func forget() {
        usual.forget()
        others = []
    }
}

/// One form of an answer. Head and body are rendered once for each content and second. A hit writes the
/// buffers that are there.
final class PrerenderedResponse {
    /// Nil for the usual conditions.
    let known: KnownConditions?
    private let conditions: ReadConditions
    /// The answer for clients that already have the content. `tags` are the bytes in which the last such
    /// client said so.
    private var unchanged: (tags: [UInt8], form: PrerenderedResponse)?
    /// Longer tags are compared for each request.
    private static let mostTagBytes = 512
    private var content: EncodedContent?
    /// The API's headers that go out with the content.
    private var kept: [(String, String)] = []
    private var expiresAt = 0.0
    private var second = Int.min
    private(set) var head = ResponseHead(status: 200)
    /// The head's lines of HTTP/1.1.
    private(set) var lines = ByteBuffer()
    /// Head and body, or the head alone when `body` is not nil.
    private(set) var whole = ByteBuffer()
    private(set) var body: ByteBuffer?
    private(set) var bodyCount = 0
    /// `whole` in the frames of an HTTP/2 stream, with and without indexed fields. Empty until a stream needs
    /// them.
    private var frames: (indexed: [HTTP2Frame.FramePayload], plain: [HTTP2Frame.FramePayload]) = ([], [])
    /// False if the client gets no content with these conditions.
    private(set) var isContent = true
    /// An encoded form is being made, so the answer may change within the second.
    private var isMaking = false

    init(_ known: KnownConditions?, _ conditions: ReadConditions) {
        self.known = known
        self.conditions = conditions
    }

    /// The form for clients with this If-None-Match. `isContent` is false if they need the whole content. Nil
    /// if the field is too long to be kept.
    @inline(__always)
    func form(ifNoneMatch tags: UnsafeRawBufferPointer) -> PrerenderedResponse? {
        if let unchanged, unchanged.tags.withUnsafeBytes({ $0.elementsEqual(tags) }) { return unchanged.form }
        guard tags.count <= Self.mostTagBytes else { return nil }
        let form = PrerenderedResponse(
            nil, conditions.asking(ifNoneMatch: String(decoding: tags, as: UTF8.self)))
        unchanged = (Array(tags), form)
        return form
    }

    /// ``whole`` in frames of HTTP/2, if body and head are one piece.
    func wholeFrames(indexed: Bool) -> [HTTP2Frame.FramePayload] {
        let known = indexed ? frames.indexed : frames.plain
        guard known.isEmpty else { return known }
        var answer = TranslatedAnswer(indexing: indexed ? .indexable : .nonIndexable)
        var content = whole
        content.moveReaderIndex(forwardBy: lines.readableBytes)
        let made = [answer.begin(head)] + (answer.take(content).map { [$0] } ?? [])
        if indexed { frames.indexed = made } else { frames.plain = made }
        return made
    }

    /// Renders the buffers for `answer` in the second of `now`, unless they are up to date.
    @inline(__always)
    func render(
        _ answer: PublishedAnswer, _ forwarded: ForwardedHeaders, now: Double, _ date: inout ResponseDate,
        _ origins: OriginRules
    ) {
        let second = Int(now)
        if second == self.second, content === answer.content, expiresAt == answer.expiresAt, !isMaking {
            return
        }
        renderAnew(answer, forwarded, now: now, second: second, &date, origins)
    }

    private func renderAnew(
        _ answer: PublishedAnswer, _ forwarded: ForwardedHeaders, now: Double, second: Int,
        _ date: inout ResponseDate, _ origins: OriginRules
    ) {
        self.second = second
        expiresAt = answer.expiresAt
        if content !== answer.content {
            kept = forwarded.fields(of: answer.content.headers, from: answer.content.url)
        }
        content = answer.content
        isMaking = ContentRendering.of(answer.content).isMaking(for: conditions.codings)
        let selection = ContentSelection(answer.content, conditions)
        guard case .content(let status, let fields, let rendered) = selection.result,
            conditions.ifNoneMatch == nil || rendered == nil
        else {
            isContent = false
            return
        }
        isContent = true
        head = ResponseHead(
            status: status, date: date.value(at: now), content: fields, proxied: kept,
            freshness: Freshness(of: answer, .hit(.memory), now: now), cors: origins.fields(for: nil))
        lines = head.lines()
        whole = lines
        body = rendered?.join(&whole)
        frames = ([], [])
        bodyCount = rendered?.count ?? 0
    }

    /// True if no content is left.
    @discardableResult
    fileprivate func forget(unusedSince second: Int, _ answerSnapshot: AnswerSnapshot) -> Bool {
        if unchanged?.form.forget(unusedSince: second, answerSnapshot) ?? false { unchanged = nil }
        if content != nil, self.second < second || !answerSnapshot.hasAnswer { forgetContent() }
        return content == nil && unchanged == nil
    }

    fileprivate func forget() {
        unchanged = nil
        forgetContent()
    }

    private func forgetContent() {
        guard content != nil else { return }
        content = nil
        kept = []
        second = .min
        head = ResponseHead(status: 200)
        lines = ByteBuffer()
        whole = lines
        body = nil
        frames = ([], [])
    }
}
