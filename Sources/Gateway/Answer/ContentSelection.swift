import RestEngine

/// What goes out of a content under a client's terms: which form, which part, or that its copy is good.
struct ContentSelection {
    enum Result {
        case problem(Problem)
        /// With its status; no body for a 304.
        case content(Int, ContentFields, AnswerBody?)
    }

    let result: Result

    /// - Parameter hasStream: It is a resource's, of which there are events too.
    init(_ content: EncodedContent, _ conditions: ReadConditions, hasStream: Bool = true) {
        let rendering = ContentRendering.of(content)
        // A redirect is for everybody, whatever else it asks for (RFC 9110 13.2.1).
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
        var fields = form.fields
        if isSuccess, let list = conditions.ifNoneMatch,
            let tag = rendering.tag(in: list, content, preferring: form)
        {
            fields = fields.validators
            fields.etag = tag
            result = .content(304, fields, nil)
            return
        }
        // An exact date, as clients repeat it (RFC 9110 13.1.3).
        if isSuccess, let date = conditions.ifModifiedSince, date == lastModified {
            result = .content(304, fields.validators, nil)
            return
        }
        guard isPart, let range else {
            result = .content(content.status, fields, form.body)
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
        fields.length = wanted.count
        fields.range = "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(count)"
        result = .content(206, fields, slice)
    }
}
