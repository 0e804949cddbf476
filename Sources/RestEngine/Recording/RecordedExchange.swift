import Platform

/// A request and its answer, as a recording has them (rules 48, 49).
package struct RecordedExchange: Sendable {
    /// The body of the request, as far as it is known.
    enum RequestBody: Sendable {
        /// The recording doesn't say: a form with files, for example.
        case unknown
        case bytes([UInt8], type: String?)
    }

    /// What was answered.
    enum Answer: Sendable {
        case response(TransportResponse)
        case failure(TransportError)
        /// The recording has too little of it; why.
        case unusable(String)
    }

    /// Its place in the recording, from 1.
    package let number: Int
    let method: String
    /// Masked, without a fragment.
    let url: String
    let body: RequestBody
    let answer: Answer

    /// For messages: `entry 3, GET https://…`.
    package var description: String { "entry \(number), \(method) \(url)" }
}

/// What is wrong with a recording, and where.
package struct RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the recording.
    package let path: String
    /// From 1; nil for what concerns the whole file.
    package let entry: Int?
    package let message: String

    package init(path: String, entry: Int? = nil, _ message: String) {
        self.path = path
        self.entry = entry
        self.message = message
    }

    package var description: String {
        "\(path): " + (entry.map { "entry \($0): " } ?? "") + message
    }
}

/// What must be the same for a recorded answer to be given (rule 49.2).
package enum RecordingMatch: String, Sendable, CaseIterable {
    case method, url, body
}

/// The form in which two requests are compared: secrets masked, as recordings have them, and what says the
/// same in another way made the same.
enum ComparedRequest {
    /// Nil for what is no URL.
    static func url(_ text: String, _ mask: SecretMask = .standard) -> String? {
        guard let url = URLText(text), url.isHTTP else { return nil }
        return mask.url(String(url.string.prefix { $0 != "#" }))
    }

    /// JSON by its value, forms in parts without their boundary, all else to the byte.
    static func body(_ bytes: [UInt8], _ type: String?, _ mask: SecretMask = .standard) -> [UInt8] {
        let shown = mask.body(bytes, type)
        let media = MediaType(type ?? "")
        if media.isJSON, let tree = try? Tree(json: shown), let json = try? tree.sorted.json() { return json }
        if media.essence.hasPrefix("multipart/"), shown.starts(with: [0x2D, 0x2D]) {
            let boundary = String(decoding: shown.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
            return Array(String(decoding: shown, as: UTF8.self).replacing(boundary, with: "--").utf8)
        }
        return shown
    }
}

extension MediaType {
    var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }
}

extension Tree {
    /// With the members of objects in the order of their names.
    fileprivate var sorted: Tree {
        switch kind {
        case .object:
            Tree(pairs: pairs.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted) })
        case .array: Tree(elements.map(\.sorted))
        default: self
        }
    }
}
