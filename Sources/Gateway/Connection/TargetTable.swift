import RestEngine

/// Targets that one event loop has answered, by the bytes of the target. The table is bounded: when it is
/// full it is emptied, and it refills with the targets that are still asked for.
struct TargetTable {
    private var slots: [HotAnswer?]
    private(set) var count = 0
    private let limit: Int
    /// Random in each process, so that clients can't prepare targets that collide.
    private let seed = UInt64.random(in: .min ... .max) | 1

    init(limit: Int = 4096) {
        self.limit = limit
        slots = Array(repeating: nil, count: Self.slotCount(for: limit))
    }

    @inline(__always)
    func find(_ target: UnsafeRawBufferPointer) -> HotAnswer? {
        slots[place(of: target)]
    }

    /// Inserts an answer, or replaces the one for the same target.
    mutating func insert(_ answer: HotAnswer) {
        answer.withTarget { target in
            let place = place(of: target)
            if slots[place] == nil {
                if count == limit { removeAll() }
                count += 1
            }
            slots[self.place(of: target)] = answer
        }
    }

    mutating func removeAll() {
        guard count > 0 else { return }
        slots = Array(repeating: nil, count: slots.count)
        count = 0
    }

    /// Frees the contents that no client has asked for since this second of the loop's uptime.
    func forget(unusedSince second: Int) {
        for slot in slots { slot?.forget(unusedSince: second) }
    }

    /// The index of the target, or the index for a new one.
    @inline(__always)
    private func place(of target: UnsafeRawBufferPointer) -> Int {
        var index = Int(truncatingIfNeeded: hash(target)) & (slots.count - 1)
        while let other = slots[index], !other.isFor(target) { index = (index + 1) & (slots.count - 1) }
        return index
    }

    /// A power of two; the table is at most half full.
    private static func slotCount(for limit: Int) -> Int {
        var count = 2
        while count < limit * 2 { count *= 2 }
        return count
    }

    @inline(__always)
    private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var last: UInt64 = 0
        while offset < bytes.count {
            last = last << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return mix(hash, last)
    }

    @inline(__always)
    private func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15 ^ seed)
        return product.high ^ product.low
    }
}
