/// A 128-bit hash that tells contents apart and finds damage: two multiplicative walks over 64-bit words. Not for secrets.
public struct ContentHash: Sendable, Equatable {
    private(set) var a: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var b: UInt64 = 0x9E37_79B9_7F4A_7C15

    public init(_ bytes: UnsafeRawBufferPointer) {
        walk(bytes)
        a = (a ^ (a >> 29)) &* 0xBF58_476D_1CE4_E5B9
    }

    /// For comparing and showing.
    public var hex: String { String(a, radix: 16) + "-" + String(b, radix: 16) }

    /// The half of it that is enough against accidents.
    public var checksum: UInt64 { a ^ b }

    private mutating func walk(_ raw: UnsafeRawBufferPointer) {
        var offset = 0
        while offset + 8 <= raw.count {
            mix(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        while offset < raw.count {
            mix(UInt64(raw[offset]))
            offset += 1
        }
        mix(UInt64(raw.count))
    }

    private mutating func mix(_ word: UInt64) {
        a = (a ^ word) &* 0x0000_0100_0000_01B3
        b = (b ^ (word &+ a)) &* 0xFF51_AFD7_ED55_8CCD
        b ^= b >> 32
    }
}
