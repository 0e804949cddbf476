import Dispatch
import RestEngine
import Synchronization

/// A content in the network library's form, made once and shared by all event loops, with what codings make
/// of it.
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
    /// Whether an encoded form is worth its making.
    let isCompressible: Bool
    private let coded = Mutex<[ContentCoding: Coded]>([:])
    /// A larger content is encoded elsewhere; whoever asks first gets it as it is.
    private static let largestCodedHere = 32 << 10
    private static let queue = DispatchQueue(label: "content coding")

    static func of(_ content: EncodedContent) -> ContentRendering {
        content.rendering { ContentRendering(content) }
    }

    /// The copy of a large body takes long.
    @Sendable static func prepare(_ content: EncodedContent) { _ = of(content) }

    private init(_ content: EncodedContent) {
        isCompressible = content.status != 204 && content.status != 205 && ContentCoding.pays(for: content)
        plain = Self.form(
            of: content, AnswerBody(content.body), etag: content.etag, nil, isCompressible)
    }

    deinit {
        // Those in codings are smaller.
        guard plain.body.count > LargeContent.leastDiscardedSize else { return }
        // The last who has it may be an event loop, or the engine's.
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
        // RFC 9110 8.6: it has no content, not even an empty one.
        case 204: break
        // RFC 9110 15.3.6.
        case 205: fields.length = 0
        default:
            (fields.type, fields.length, fields.coding) = (typeField(of: content), body.count, coding)
            fields.acceptsRanges = content.isRaw && content.status == 200 && coding == nil
        }
        return Form(fields: fields, etag: etag, body: body)
    }

    // MARK: Codings

    /// The first of these codings that makes it smaller; without one it goes out as it is.
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

    /// A form that is better than the one of now may be there soon.
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
        // The rendering is the content's own, so that neither outlives the other for long.
        Self.queue.async { _ = self.encode(content, coding) }
        return .running
    }

    private func encode(_ content: EncodedContent, _ coding: ContentCoding) -> Coded {
        let made =
            coding.encode(content.body).map { body in
                // Another form of a content has another strong tag (RFC 9110 8.8.3.3).
                let etag = EntityTag.variant(coding.rawValue, of: content.etag)
                return Coded.form(Self.form(of: content, .buffer(body), etag: etag, coding, true))
            } ?? .useless
        coded.withLock { $0[coding] = made }
        return made
    }

    /// The tag of the form that a client names; any of them confirms its copy.
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

    /// What stands in Content-Type.
    static func typeField(of content: EncodedContent) -> String {
        isForwarded(content.contentType) ? content.contentType : "application/octet-stream"
    }

    /// The type is the upstream's or a script's word: a line end in it would add fields to the head, other
    /// control characters and bytes that are no ASCII mean nothing there (RFC 9110 8.3.1), and a very long
    /// one fills what clients keep for heads.
    private static func isForwarded(_ type: String) -> Bool {
        !type.isEmpty && type.utf8.count <= maxTypeBytes
            && type.utf8.allSatisfy { HTTPByte.isFieldValue($0) && $0 < 0x80 }
    }

    private static let maxTypeBytes = 1024
}
