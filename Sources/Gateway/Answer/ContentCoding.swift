import CEncoding
import NIOCore
import RestEngine

/// Content codings that bodies are sent in (RFC 9110 8.4.1), the best first.
enum ContentCoding: String, CaseIterable, Sendable {
    /// First, as of three that come to nearly the same size it takes half the time of the others.
    case zstd
    case brotli = "br"
    case gzip

    /// Below it a coding saves no packet.
    static let leastBytes = 1 << 10

    /// Those of an Accept-Encoding that a client wants, the best first (RFC 9110 12.5.3).
    static func accepted(_ text: String) -> [ContentCoding] {
        var quality: [Substring: Double] = [:]
        let text = text.lowercased()
        for member in text.split(separator: ",") {
            let parts = member.split(separator: ";").map { $0.trimmingBlanks }
            guard let name = parts.first else { continue }
            quality[name == "x-gzip" ? "gzip" : name] = AcceptedTypes.quality(parts.dropFirst())
        }
        let wanted = allCases.compactMap { coding in
            (quality[Substring(coding.rawValue)] ?? (coding == .gzip ? quality["*"] : nil)).map {
                (coding, $0)
            }
        }
        // Stable: of equals the order of the cases holds.
        return wanted.filter { $0.1 > 0 }.enumerated()
            .sorted { ($1.element.1, $0.offset) < ($0.element.1, $1.offset) }.map(\.element.0)
    }

    /// What is compressed already gets no smaller.
    static func pays(for content: EncodedContent) -> Bool {
        guard content.body.count >= leastBytes else { return false }
        if compressible.contains(content.contentType) { return true }
        let essence = MediaType(content.contentType).essence
        if essence.hasPrefix("text/") || essence.hasSuffix("+json") || essence.hasSuffix("+xml") {
            return true
        }
        return compressible.contains(essence)
    }

    private static let compressible: Set<String> = [
        "application/json", "application/xml", "application/javascript", "application/x-ndjson",
        "application/wasm", "image/bmp", "application/yaml", "application/x-www-form-urlencoded",
    ]

    /// Nil when it makes nothing smaller.
    func encode(_ bytes: [UInt8]) -> ByteBuffer? {
        // What isn't smaller needs no room.
        var output = [UInt8](repeating: 0, count: bytes.count)
        let kind: cencoding_kind =
            switch self {
            case .gzip: CENCODING_GZIP
            case .brotli: CENCODING_BROTLI
            case .zstd: CENCODING_ZSTD
            }
        let count = bytes.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                cencoding_run(kind, input.baseAddress, input.count, output.baseAddress, output.count)
            }
        }
        return count == 0 ? nil : ByteBuffer(bytes: output[..<count])
    }
}
