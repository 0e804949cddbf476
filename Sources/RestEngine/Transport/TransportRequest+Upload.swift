extension TransportRequest {
    /// The request with its upload in ``body``, as a server gets it. The boundary of a multipart body is the
    /// same for the same parts.
    func withUploadRead() throws(FileError) -> TransportRequest {
        guard let upload else { return self }
        var request = self
        request.upload = nil
        switch upload {
        case .file(let path): request.body = try OpenFile(path).readAll()
        // A stream can't be awaited here; see ``CollectedBody``.
        case .stream: break
        case .multipart(let parts):
            let type = headers["Content-Type"] ?? "multipart/form-data"
            // As in libcurl: only a form has form data.
            let isForm = MediaType(type).essence == "multipart/form-data"
            let form = try MultipartText(parts, disposition: isForm ? "form-data" : "attachment")
            request.body = form.bytes
            request.headers.set("Content-Type", MediaType.settingBoundary(form.boundary, in: type))
        }
        return request
    }
}

/// A complete multipart form (RFC 7578 4, RFC 2046 5.1.1).
private struct MultipartText {
    let boundary: String
    private(set) var bytes: [UInt8] = []

    init(_ parts: [MultipartPart], disposition: String) throws(FileError) {
        var contents: [[UInt8]] = []
        for part in parts {
            switch part.source {
            case .bytes(let bytes): contents.append(bytes)
            case .file(let path): contents.append(try OpenFile(path).readAll())
            }
        }
        boundary = Self.boundary(notIn: contents)
        for (part, content) in zip(parts, contents) {
            bytes +=
                Array((Self.head(of: part, disposition, boundary) + "\r\n").utf8) + content
                + Array("\r\n".utf8)
        }
        bytes += Array("--\(boundary)--\r\n".utf8)
    }

    private static func head(
        of part: MultipartPart, _ disposition: String, _ boundary: String
    ) -> String {
        var head = "--\(boundary)\r\nContent-Disposition: \(disposition); name=\"\(escaped(part.name))\""
        if let name = part.sentFilename { head += "; filename=\"\(escaped(name))\"" }
        if let type = part.sentContentType { head += "\r\nContent-Type: \(type)" }
        return head + "\r\n"
    }

    /// As in browsers and libcurl (HTML, multipart/form-data encoding algorithm).
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\"": text += "%22"
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func boundary(notIn contents: [[UInt8]]) -> String {
        var number = 0
        while true {
            let boundary = "part-boundary" + (number == 0 ? "" : "-\(number)")
            if !contents.contains(where: { $0.containsRun(boundary) }) { return boundary }
            number += 1
        }
    }
}

extension [UInt8] {
    fileprivate func containsRun(_ text: String) -> Bool {
        let text = Array(text.utf8)
        return indices.dropLast(Swift.max(0, text.count - 1)).contains { self[$0...].starts(with: text) }
    }
}
