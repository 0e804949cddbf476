internal import CCoding

/// Undoes the content codings of one body as it comes, the one that was applied last first (RFC 9110 8.4).
/// libcurl's own decoding doesn't tell a stream that ends too early, and knows one member of gzip.
final class BodyDecoder {
    private final class Stage {
        let decoder: OpaquePointer
        /// The bytes that it still has to take: of the buffer of the stage before it, or of the chunk for the
        /// first.
        var input = 0..<0
        /// It filled its buffer the last time, so it may hold more.
        var mayHoldMore = false

        init?(_ kind: ccoding_kind) {
            guard let decoder = ccoding_new(kind) else { return nil }
            self.decoder = decoder
        }

        deinit { ccoding_free(decoder) }
    }

    /// As many as libcurl allows; even two are rare.
    private static let maxCodings = 5
    private static let bufferSize = 32 << 10
    /// The codings that are decoded, for Accept-Encoding.
    static let codings = String(cString: ccoding_names())

    private let stages: [Stage]
    /// The output of each stage before the next one takes it.
    private let buffers: UnsafeMutablePointer<UInt8>

    /// Nil when a coding is unknown.
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

    enum Outcome: Equatable {
        case taken
        /// The allowance is used up: the chunk has to be given again, without so many bytes of its beginning.
        /// The rest may be empty, for the decoder holds something back.
        case interrupted(Int)
        /// Bytes that are not of the coding.
        case malformed
        /// `take` wanted no more.
        case refused
    }

    /// Hands what becomes of a chunk to `take`, in parts.
    ///
    /// - Parameter allowance: bytes that may be made of it now, and about a buffer more. A chunk of some
    ///   kilobytes may stand for megabytes, and for gigabytes where codings are nested.
    func decode(
        _ chunk: UnsafeRawBufferPointer, allowance: inout Int, _ take: (UnsafeRawBufferPointer) -> Bool
    ) -> Outcome {
        guard let first = stages.first else { return take(chunk) ? .taken : .refused }
        first.input = 0..<chunk.count
        // The last stage with input runs first, so the buffer behind a stage is free when that stage runs.
        while let index = stages.lastIndex(where: { !$0.input.isEmpty || $0.mayHoldMore }) {
            guard allowance > 0 else { return .interrupted(first.input.lowerBound) }
            guard let made = run(index, chunk) else { return .malformed }
            allowance -= made.count
            if made.isEmpty { continue }
            if index + 1 < stages.count {
                stages[index + 1].input = 0..<made.count
            } else if !take(made) {
                return .refused
            }
        }
        return .taken
    }

    /// Fills a stage's buffer; nil when its input is not of its coding.
    private func run(_ index: Int, _ chunk: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let stage = stages[index]
        let source =
            index == 0
            ? chunk.bindMemory(to: UInt8.self).baseAddress
            : UnsafePointer(buffers + (index - 1) * Self.bufferSize)
        var input = source.map { $0 + stage.input.lowerBound }
        var left = stage.input.count
        let buffer = buffers + index * Self.bufferSize
        var output: UnsafeMutablePointer<UInt8>? = buffer
        var room = Self.bufferSize
        guard ccoding_run(stage.decoder, &input, &left, &output, &room) else { return nil }
        let made = Self.bufferSize - room
        if left == stage.input.count, left > 0, made == 0 { return nil }
        stage.input = (stage.input.upperBound - left)..<stage.input.upperBound
        stage.mayHoldMore = room == 0
        return UnsafeRawBufferPointer(start: buffer, count: made)
    }
}
