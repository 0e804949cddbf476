import Platform

/// The form in which two requests are compared: credentials are masked, as in recordings, and equivalent
/// notations are made equal.
enum ComparedRequest {
    /// Nil for text that is no URL; unmasked if there is no mask.
    static func url(_ text: String, _ mask: SecretMask? = .standard) -> String? {
        guard let url = URLText(text), url.isHTTP else { return nil }
        let plain = String(url.string.prefix { $0 != "#" })
        return mask?.url(plain) ?? plain
    }

    /// JSON is compared by value, forms by their pairs or parts, other bodies byte by byte.
    static func body(_ bytes: [UInt8], _ type: String?, _ mask: SecretMask? = .standard) -> [UInt8] {
        let shown = mask?.body(bytes, type) ?? bytes
        let media = MediaType(type ?? "")
        if media.isJSON, let tree = try? Tree(json: shown), let json = try? tree.sorted.json() { return json }
        if media.essence == formType { return form(pairs(of: shown)) }
        if media.essence.hasPrefix("multipart/"), shown.starts(with: [0x2D, 0x2D]) {
            let boundary = String(decoding: shown.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
            return Array(String(decoding: shown, as: UTF8.self).replacing(boundary, with: "--").utf8)
        }
        return shown
    }

    static let formType = "application/x-www-form-urlencoded"

    /// The pairs of a form, decoded (WHATWG URL 5.1).
    static func pairs(of form: [UInt8]) -> [(name: String, value: String)] {
        form.split(separator: UInt8(ascii: "&")).map { piece in
            let parts = piece.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (plain(parts[0]), parts.count > 1 ? plain(parts[1]) : "")
        }
    }

    private static func plain(_ text: ArraySlice<UInt8>) -> String {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: PercentEncoding.decodeBytes(spaced), as: UTF8.self)
    }

    static func form(_ pairs: [(name: String, value: String)]) -> [UInt8] {
        let texts = pairs.map { PercentEncoding.form($0.name) + "=" + PercentEncoding.form($0.value) }
        return Array(texts.joined(separator: "&").utf8)
    }
}

/// A pair of a form, or a part of one, as in `params` of HAR 1.2.
struct RecordedParam: Sendable, Equatable {
    let name: String
    /// Masked; nil if unknown, for example for a file.
    let value: String?
    let fileName: String?

    /// - Parameters:
    ///   - recorded: The pairs as recorded: some programs write them with escapes, some without.
    ///   - body: The body of a form.
    static func match(_ recorded: [RecordedParam], _ body: [UInt8], _ type: String?) -> Bool {
        let media = MediaType(type ?? "")
        if media.essence == ComparedRequest.formType {
            let sent = ComparedRequest.body(body, type)
            let pairs = recorded.map { (name: $0.name, value: $0.value ?? "") }
            let escaped = pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            return sent == ComparedRequest.form(pairs)
                || sent == ComparedRequest.body(Array(escaped.utf8), type)
        }
        guard media.essence.hasPrefix("multipart/"), let sent = parts(of: body), sent.count == recorded.count
        else { return false }
        return zip(recorded, sent).allSatisfy { recorded, sent in
            recorded.name == sent.name && (recorded.fileName == nil || recorded.fileName == sent.fileName)
                && (recorded.value == nil || recorded.value == sent.value)
        }
    }

    /// The parts of a multipart form (RFC 7578 4); nil for other bodies.
    private static func parts(of body: [UInt8]) -> [RecordedParam]? {
        let line = Array(body.prefix { $0 != 0x0D && $0 != 0x0A })
        guard line.starts(with: [0x2D, 0x2D]), line.count > 2 else { return nil }
        var found: [RecordedParam] = []
        let delimiter = [0x0D, 0x0A] + line
        var start = line.count
        while let end = body.place(of: delimiter, from: start) {
            let part = body[start..<end]
            start = end + delimiter.count
            guard let gap = Array(part).place(of: [0x0D, 0x0A, 0x0D, 0x0A], from: 0) else { return nil }
            let head = String(decoding: part.prefix(gap), as: UTF8.self)
            let value = String(decoding: part.dropFirst(gap + 4), as: UTF8.self)
            guard let name = parameter("name", of: head) else { return nil }
            let mask = SecretMask.standard
            found.append(
                RecordedParam(
                    name: name, value: mask.hides(name) ? SecretMask.text : mask.line(value),
                    fileName: parameter("filename", of: head)))
        }
        return found
    }

    private static func parameter(_ name: String, of head: String) -> String? {
        guard let start = head.firstRange(of: " \(name)=\"") else { return nil }
        let value = head[start.upperBound...].prefix { $0 != "\"" }
        return PercentEncoding.decode(String(value)) ?? String(value)
    }
}

extension [UInt8] {
    fileprivate func place(of needle: [UInt8], from start: Int) -> Int? {
        guard let first = needle.first else { return nil }
        var place = start
        while let next = self[Swift.min(place, count)...].firstIndex(of: first) {
            if self[next...].starts(with: needle) { return next }
            place = next + 1
        }
        return nil
    }
}

extension MediaType {
    var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }
}

extension Tree {
    /// A copy with the members of objects sorted by name.
    fileprivate var sorted: Tree {
        switch kind {
        case .object:
            Tree(pairs: pairs.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted) })
        case .array: Tree(elements.map(\.sorted))
        default: self
        }
    }
}
