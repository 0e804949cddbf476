import CEncoding
import NIOCore
import RestEngine

/// Content codings of bodies (RFC 9110 8.4.1), the best first.
enum ContentCoding: String, CaseIterable, Sendable {
    /// zstd is first because the three results have nearly the same size, and it takes half the time of the
    /// others.
    case zstd
    case brotli = "br"
    case gzip

    /// Coding a smaller body saves no packet.
    static let leastBytes = 1 << 10

    /// The codings of an Accept-Encoding that the client accepts, the best first (RFC 9110 12.5.3).
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
        // The sort is stable: codings of equal quality keep the order of the cases.
        return wanted.filter { $0.1 > 0 }.enumerated()
            .sorted { ($1.element.1, $0.offset) < ($0.element.1, $1.offset) }.map(\.element.0)
    }

    /// Content that is already compressed doesn't get smaller.
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

    /// Nil if the result isn't smaller.
    func encode(_ bytes: [UInt8]) -> ByteBuffer? {
        // A result that isn't smaller is discarded, so the output needs no more space than the input.
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
