import Dispatch
import RestEngine
import Synchronization

/// Content in the network library's form and its encoded forms. Made once and shared by all event loops.
final class ContentRendering: Sendable {
    /// One form of the content: as it is, or encoded.
    struct Form: Sendable {
        let fields: ContentFields
        let etag: String
        let body: AnswerBody
    }

    private enum Coded {
        case running
        case useless
        case form(Form)

        var form: Form? { if case .form(let form) = self { form } else { nil } }
    }

    let plain: Form
    /// Whether the content is worth encoding.
    let isCompressible: Bool
    private let coded = Mutex<[ContentCoding: Coded]>([:])
    /// Larger content is encoded on another thread. The first client that asks gets it without a coding.
    private static let largestCodedHere = 32 << 10
    private static let queue = DispatchQueue(label: "content coding")

    static func of(_ content: EncodedContent) -> ContentRendering {
        content.rendering { ContentRendering(content) }
    }

    /// Renders large content early, because its copy takes long.
    @Sendable static func prepare(_ content: EncodedContent) { _ = of(content) }

    private init(_ content: EncodedContent) {
        isCompressible = content.status != 204 && content.status != 205 && ContentCoding.pays(for: content)
        plain = Self.form(
            of: content, AnswerBody(content.body), etag: content.etag, nil, isCompressible)
    }

    deinit {
        // Encoded forms are smaller than this one.
        guard plain.body.count > LargeContent.leastDiscardedSize else { return }
        // The last owner may be an event loop or the engine's loop, so the memory is freed on another thread.
        for form in [plain] + coded.withLock({ known in known.values.compactMap(\.form) })
        where form.body.count > LargeContent.leastDiscardedSize {
            LargeContent.discard(form.body)
        }
    }

    private static func form(
        of content: EncodedContent, _ body: AnswerBody, etag: String, _ coding: ContentCoding?,
        _ varies: Bool
    ) -> Form {
        var fields = ContentFields(etag: etag, vary: varies ? "Accept, Accept-Encoding" : "Accept")
        switch content.status {
        // RFC 9110 8.6: a 204 has no content, so it has no length either.
        case 204: break
        // RFC 9110 15.3.6: the content of a 205 is empty.
        case 205: fields.length = 0
        default:
            (fields.type, fields.length, fields.coding) = (typeField(of: content), body.count, coding)
            fields.acceptsRanges = content.isRaw && content.status == 200 && coding == nil
        }
        return Form(fields: fields, etag: etag, body: body)
    }

    // MARK: Codings

    /// The form in the first of these codings that makes the content smaller, or else the plain form.
    func form(for codings: [ContentCoding], of content: EncodedContent) -> Form {
        guard isCompressible else { return plain }
        for coding in codings {
            switch state(of: coding, content) {
            case .form(let form): return form
            case .running: return plain
            case .useless: continue
            }
        }
        return plain
    }

    /// A better form than the current one is being made.
    func isMaking(for codings: [ContentCoding]) -> Bool {
        guard isCompressible, !codings.isEmpty else { return false }
        return coded.withLock { known in
            codings.contains { if case .running? = known[$0] { true } else { false } }
        }
    }

    private func state(of coding: ContentCoding, _ content: EncodedContent) -> Coded {
        let isMine = coded.withLock { known -> Coded? in
            if let state = known[coding] { return state }
            known[coding] = .running
            return nil
        }
        if let isMine { return isMine }
        guard content.body.count > Self.largestCodedHere else { return encode(content, coding) }
        // The content owns the rendering, so both live equally long.
        Self.queue.async { _ = self.encode(content, coding) }
        return .running
    }

    private func encode(_ content: EncodedContent, _ coding: ContentCoding) -> Coded {
        let made =
            coding.encode(content.body).map { body in
                // Each form of a content has its own strong tag (RFC 9110 8.8.3.3).
                let etag = EntityTag.variant(coding.rawValue, of: content.etag)
                return Coded.form(Self.form(of: content, .buffer(body), etag: etag, coding, true))
            } ?? .useless
        coded.withLock { $0[coding] = made }
        return made
    }

    /// The tag of the form that the client names. Any form's tag confirms the client's copy.
    func tag(in list: String, _ content: EncodedContent, preferring form: Form) -> String? {
        let forms = coded.withLock {
            $0.values.compactMap(\.form)
        }
        for known in [form, plain] + forms where EntityTag.list(list, contains: known.etag) {
            return known.etag
        }
        return nil
    }

    // MARK: Types

    /// The value of Content-Type.
    static func typeField(of content: EncodedContent) -> String {
        isForwarded(content.contentType) ? content.contentType : "application/octet-stream"
    }

    /// The type comes from the upstream or from a script, so it is checked. A line end would add fields to
    /// the head; other control characters and non-ASCII bytes are invalid there (RFC 9110 8.3.1); a very long
    /// type would fill a client's buffer for heads.
    private static func isForwarded(_ type: String) -> Bool {
        !type.isEmpty && type.utf8.count <= maxTypeBytes
            && type.utf8.allSatisfy { HTTPByte.isFieldValue($0) && $0 < 0x80 }
    }

    private static let maxTypeBytes = 1024
}
