internal import Coordination

/// Data that a script has set, as hosts tell each other: the time, the seconds for which it is fresh, and the
/// entity's own coding.
struct OverriddenData {
    var entity: Entity
    /// Nil: the expiration time.
    var expirationSeconds: Double?

    /// The largest data that is set on all hosts. Larger data is wiped there instead.
    static let mostBytes = 64 << 10
    private static let headBytes = 16

    init(_ entity: Entity, expirationSeconds: Double?) {
        (self.entity, self.expirationSeconds) = (entity, expirationSeconds)
    }

    /// Nil for data that can't leave the process, or is too large.
    var bytes: [UInt8]? {
        guard let coded = try? EntityCoding.encode(entity), coded.count <= Self.mostBytes else { return nil }
        let head = [entity.timestamp, expirationSeconds ?? -1].flatMap { number in
            withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) }
        }
        return head + coded
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count > Self.headBytes, var entity = EntityCoding.decode(Array(bytes[Self.headBytes...]))
        else { return nil }
        let numbers = bytes.withUnsafeBytes { bytes in
            [0, 8].map {
                Double(
                    bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
                )
            }
        }
        guard numbers.allSatisfy(\.isFinite) else { return nil }
        entity.timestamp = numbers[0]
        self.init(entity, expirationSeconds: numbers[1] >= 0 ? numbers[1] : nil)
    }
}
