internal import CCoding
internal import CEncoding

/// zstd, for entries.
enum Compression {
    /// Nil when it would save less than an eighth, or can't be done.
    static func pack(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 64 else { return nil }
        let most = bytes.count - bytes.count / 8
        let packed = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = cencoding_run(CENCODING_ZSTD, bytes, bytes.count, buffer.baseAddress, most)
        }
        return packed.isEmpty ? nil : packed
    }

    /// Nil for bytes that are not those of `count` bytes.
    static func unpack(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        guard let decoder = ccoding_new(CCODING_ZSTD) else { return nil }
        defer { ccoding_free(decoder) }
        var isWhole = false
        // One byte more, so that a longer content is found.
        let plain = [UInt8](unsafeUninitializedCapacity: count + 1) { buffer, made in
            bytes.withUnsafeBufferPointer { bytes in
                var (input, inputCount) = (bytes.baseAddress, bytes.count)
                var (output, outputCount) = (buffer.baseAddress, count + 1)
                isWhole =
                    ccoding_run(decoder, &input, &inputCount, &output, &outputCount) && inputCount == 0
                    && ccoding_is_whole(decoder)
                made = count + 1 - outputCount
            }
        }
        return isWhole && plain.count == count ? plain : nil
    }
}
