import RestEngine

/// Selects the response for a content and a client's conditions: a form, a part, or the confirmation of its
/// copy.
struct ContentSelection {
    enum Result {
        case problem(Problem)
        /// The status, the fields and the body. A 304 has no body.
        case content(Int, ContentFields, AnswerBody?)
    }

    let result: Result

    /// - Parameter hasStream: The content belongs to a resource, which also has a stream of events.
    init(_ content: EncodedContent, _ conditions: ReadConditions, hasStream: Bool = true) {
        let rendering = ContentRendering.of(content)
        // A redirect goes to every client, whatever else it asks for (RFC 9110 13.2.1).
        let isSuccess = content.status < 300
        let hasContent = isSuccess && content.status != 204 && content.status != 205
        if hasContent, let accepted = conditions.accepted,
            accepted.quality(of: MediaType(content.contentType).essence) == 0
        {
            result = .problem(.notAcceptable(content, hasStream: hasStream))
            return
        }
        let range = content.isRaw && content.status == 200 ? conditions.range : nil
        let lastModified =
            range == nil && conditions.ifModifiedSince == nil ? nil : content.headers["Last-Modified"]
        let isPart = range?.applies(etag: content.etag, lastModified: lastModified) ?? false
        let form = isPart ? rendering.plain : rendering.form(for: conditions.codings, of: content)
        if isSuccess, let list = conditions.ifNoneMatch,
            let tag = rendering.tag(in: list, content, preferring: form)
        {
            var fields = form.fields.validators
            fields.etag = tag
            result = .content(304, fields, nil)
            return
        }
        // Only the exact date matches, because clients repeat the one that they got (RFC 9110 13.1.3).
        if isSuccess, let date = conditions.ifModifiedSince, date == lastModified {
            result = .content(304, form.fields.validators, nil)
            return
        }
        guard isPart, let range else {
            result = .content(content.status, form.fields, form.body)
            return
        }
        let count = form.body.count
        guard let wanted = range.range(of: count), let slice = form.body[wanted] else {
            result = .problem(
                Problem(
                    416, "range_not_satisfiable", "the content has \(count) bytes",
                    [("Content-Range", "bytes */\(count)")]))
            return
        }
        var fields = form.fields
        fields.length = wanted.count
        fields.range = "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(count)"
        result = .content(206, fields, slice)
    }
}
