internal import CCoding

/// Undoes the content codings of one body as it comes, the one that was applied last first (RFC 9110 8.4). libcurl's own
/// decoding doesn't tell a stream that ends too early, and knows one member of gzip.
final class BodyDecoder {
    private final class Stage {
        let decoder: OpaquePointer

        init?(_ kind: ccoding_kind) {
            guard let decoder = ccoding_new(kind) else { return nil }
            self.decoder = decoder
        }

        deinit { ccoding_free(decoder) }
    }

    /// As libcurl; nobody needs two.
    private static let maxCodings = 5
    private static let bufferSize = 32 << 10
    /// What is decoded, for Accept-Encoding.
    static let codings = "deflate, gzip, br, zstd"

    private let stages: [Stage]
    /// What each stage makes before the next one takes it.
    private let buffers: UnsafeMutablePointer<UInt8>

    /// Nil when a coding is none that is known.
    init?(_ codings: [String]) {
        guard codings.count <= Self.maxCodings else { return nil }
        var stages: [Stage] = []
        for coding in codings.reversed() {
            guard let kind = Self.kind(coding), let stage = Stage(kind) else { return nil }
            stages.append(stage)
        }
        self.stages = stages
        buffers = .allocate(capacity: stages.count * Self.bufferSize)
    }

    deinit { buffers.deallocate() }

    private static func kind(_ coding: String) -> ccoding_kind? {
        switch coding {
        case "gzip", "x-gzip": CCODING_GZIP
        case "deflate": CCODING_DEFLATE
        case "br": CCODING_BROTLI
        case "zstd": CCODING_ZSTD
        default: nil
        }
    }

    /// No stream ends in its middle.
    var isWhole: Bool { stages.allSatisfy { ccoding_is_whole($0.decoder) } }

    enum Outcome {
        case taken
        /// Bytes that are not of the coding.
        case malformed
        /// `take` wanted no more.
        case refused
    }

    /// Hands what becomes of a chunk to `take`, in parts.
    func decode(_ chunk: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Outcome {
        run(0, chunk, take)
    }

    private func run(
        _ index: Int, _ chunk: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
    ) -> Outcome {
        guard index < stages.count else { return take(chunk) ? .taken : .refused }
        let buffer = buffers + index * Self.bufferSize
        var input = chunk.bindMemory(to: UInt8.self).baseAddress
        var left = chunk.count
        while true {
            let before = left
            var output: UnsafeMutablePointer<UInt8>? = buffer
            var room = Self.bufferSize
            guard ccoding_run(stages[index].decoder, &input, &left, &output, &room) else { return .malformed }
            let count = Self.bufferSize - room
            if count > 0 {
                let outcome = run(index + 1, UnsafeRawBufferPointer(start: buffer, count: count), take)
                guard case .taken = outcome else { return outcome }
            }
            // With its output full it may hold more.
            if left == 0, room > 0 { return .taken }
            if left == before, count == 0 { return .malformed }
        }
    }
}
