import NIOCore
import RestEngine

/// What goes out of a content under a client's terms: which form, which part, or that its copy is good.
struct ContentSelection {
    enum Result {
        case problem(Problem)
        /// The fields that are kept of the API's are still to come; no body for a 304.
        case content(Int, AnswerWriter.ContentHead, AnswerBody?)
    }

    let result: Result

    /// - Parameter hasStream: It is a resource's, of which there are events too.
    init(_ content: EncodedContent, _ terms: ReadTerms, hasStream: Bool = true) {
        let rendering = ContentRendering.of(content)
        // A redirect is for everybody, whatever else it asks for (RFC 9110 13.2.1).
        let isSuccess = content.status < 300
        let hasContent = isSuccess && content.status != 204 && content.status != 205
        if hasContent, let accepted = terms.accepted,
            accepted.quality(of: MediaType(content.contentType).essence) == 0
        {
            result = .problem(.notAcceptable(content, hasStream: hasStream))
            return
        }
        let range = content.isRaw && content.status == 200 ? terms.range : nil
        let lastModified =
            range == nil && terms.ifModifiedSince == nil ? nil : content.headers["Last-Modified"]
        let isPart = range?.applies(etag: content.etag, lastModified: lastModified) ?? false
        let form = isPart ? rendering.plain : rendering.form(for: terms.codings, of: content)
        var parts = AnswerWriter.ContentHead(
            statusLine: rendering.statusLine, fields: form.fields, validators: form.validators,
            kept: ByteBuffer())
        if isSuccess, let list = terms.ifNoneMatch, let tag = rendering.tag(in: list, content, preferring: form) {
            parts.statusLine = Self.notModified
            parts.fields = nil
            if tag != form.etag {
                parts.validators = ByteBuffer(string: "ETag: \(tag)\r\nVary: Accept, Accept-Encoding\r\n")
            }
            result = .content(304, parts, nil)
            return
        }
        // An exact date, as clients repeat it (RFC 9110 13.1.3).
        if isSuccess, let date = terms.ifModifiedSince, date == lastModified {
            parts.statusLine = Self.notModified
            parts.fields = nil
            result = .content(304, parts, nil)
            return
        }
        guard isPart, let range else {
            result = .content(content.status, parts, form.body)
            return
        }
        let count = form.body.count
        guard let wanted = range.range(of: count), let slice = form.body[wanted] else {
            var problem = Problem(416, "range_not_satisfiable", "the content has \(count) bytes")
            problem.contentRange = "bytes */\(count)"
            result = .problem(problem)
            return
        }
        parts.statusLine = ByteBuffer(string: "HTTP/1.1 206 Partial Content\r\n")
        parts.fields = ByteBuffer(
            string:
                "Content-Type: \(ContentRendering.typeField(of: content))\r\nContent-Length: \(wanted.count)\r\n"
                + "Content-Range: bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(count)\r\nAccept-Ranges: bytes\r\n"
        )
        result = .content(206, parts, slice)
    }

    private static let notModified = ByteBuffer(string: "HTTP/1.1 304 Not Modified\r\n")
}
