import NIOCore
import NIOHPACK
import NIOHTTP2
import RestEngine

/// The answers to one target as they go out, kept by one event loop: a form of them for each of the few
/// things that clients say of the content that they want.
final class HotAnswer {
    let answerSnapshot: AnswerSnapshot
    let forwarded: ForwardedHeaders
    let accessPolicy: AccessPolicy
    /// As what it is counted; see ``GatewayMetrics``.
    let labels: Int
    private let target: [UInt8]
    private let allowsGet: Bool
    private let allowsHead: Bool
    /// For clients that say nothing.
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

    /// The same resource under the same rules: those that were in force when this was made are, as the loop
    /// forgets all targets with new ones.
    func shows(_ shown: EngineClient.Shown, _ accessPolicy: AccessPolicy) -> Bool {
        answerSnapshot === shown.answerSnapshot && self.accessPolicy === accessPolicy && labels == shown.labels
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

    /// The form for clients with these terms; nil: the usual ones. What was made for terms that came longest
    /// ago makes room.
    @inline(__always)
    func form(for conditions: KnownConditions?) -> PrerenderedResponse {
        guard let conditions else { return usual }
        for form in others where form.known === conditions { return form }
        if others.count == Self.mostOthers { others.removeFirst() }
        let form = PrerenderedResponse(conditions, conditions.conditions)
        others.append(form)
        return form
    }

    /// Lets go of contents that nobody has asked for since `second`, or that are no longer the resource's:
    /// that may be gone long ago, or have had to make room.
    func forget(unusedSince second: Int) {
        usual.forget(unusedSince: second, answerSnapshot)
        others.removeAll { $0.forget(unusedSince: second, answerSnapshot) }
    }

    /// Lets go of a content that is no longer served.
    func forget() {
        usual.forget()
        others = []
    }
}

/// One form of them. Head and body are rendered once for each content and second; a hit writes what is there.
final class PrerenderedResponse {
    /// Nil for the usual terms.
    let known: KnownConditions?
    private let conditions: ReadConditions
    /// For clients that say that they have it, in the bytes in which the last one said so.
    private var unchanged: (tags: [UInt8], form: PrerenderedResponse)?
    /// Longer tags are looked at each time.
    private static let mostTagBytes = 512
    private var content: EncodedContent?
    /// The API's own fields of that content.
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
    /// The whole for a stream of HTTP/2, with and without indexed fields. Empty until one asks.
    private var frames: (indexed: [HTTP2Frame.FramePayload], plain: [HTTP2Frame.FramePayload]) = ([], [])
    /// False: the client gets no content under these terms.
    private(set) var isContent = true
    /// It may be another in the same second.
    private var isMaking = false

    init(_ known: KnownConditions?, _ conditions: ReadConditions) {
        self.known = known
        self.conditions = conditions
    }

    /// The form for clients with an If-None-Match of these bytes. It is no content where that brings them the
    /// whole. Nil for so many bytes that nothing is kept.
    @inline(__always)
    func form(ifNoneMatch tags: UnsafeRawBufferPointer) -> PrerenderedResponse? {
        if let unchanged, unchanged.tags.withUnsafeBytes({ $0.elementsEqual(tags) }) { return unchanged.form }
        guard tags.count <= Self.mostTagBytes else { return nil }
        let form = PrerenderedResponse(nil, conditions.asking(ifNoneMatch: String(decoding: tags, as: UTF8.self)))
        unchanged = (Array(tags), form)
        return form
    }

    /// The same as ``whole``, as long as that is one piece, in frames of HTTP/2.
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

    /// Makes the buffers those of `answer` in the second of `now`.
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

    /// True when nothing is left.
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
