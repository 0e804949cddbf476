/// Gzip members for tests (RFC 1951, RFC 1952), without a library.
public enum Gzip {
    /// The bytes in a stored block, which is valid gzip and not smaller. At most 65,535 bytes.
    public static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        let sizes = [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
        return header + [1] + sizes + bytes + littleEndian(checksum(bytes))
            + littleEndian(UInt32(bytes.count))
    }

    /// At least `count` zeros in about a 158th of the bytes: a bomb. Its checksum is wrong, because a careful
    /// decoder stops before it.
    public static func zeros(_ count: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.write(0b011, count: 3)
        // The literal 0, then copies of 258 bytes at distance 1, in the fixed code, whose codes start with
        // the highest bit.
        bits.writeCode(0b0011_0000, count: 8)
        for _ in 0...(count / 258) {
            bits.writeCode(0b1100_0101, count: 8)
            bits.writeCode(0, count: 5)
        }
        bits.writeCode(0, count: 7)
        return header + bits.finish() + [0, 0, 0, 0, 0, 0, 0, 0]
    }

    /// Zeros that decode without an error: 258 for each of `copies`, and one more.
    public static func soundZeros(copies: Int) -> [UInt8] {
        let count = copies * 258 + 1
        let body = zeros(count - 258).dropLast(8)
        return body + littleEndian(checksum([UInt8](repeating: 0, count: count)))
            + littleEndian(UInt32(count))
    }

    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private struct BitWriter {
        private var bytes: [UInt8] = []
        private var used = 0

        mutating func write(_ value: UInt32, count: Int) {
            for bit in 0..<count {
                if used % 8 == 0 { bytes.append(0) }
                bytes[bytes.count - 1] |= UInt8((value >> bit) & 1) << (used % 8)
                used += 1
            }
        }

        mutating func writeCode(_ code: UInt32, count: Int) {
            for bit in (0..<count).reversed() { write((code >> bit) & 1, count: 1) }
        }

        func finish() -> [UInt8] { bytes }
    }
}
