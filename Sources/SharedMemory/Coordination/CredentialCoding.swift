internal import RestEngine

/// Credentials as a value of the server. Pure: any bytes may come, and those of another program or key are
/// rejected.
///
///     magic "rhc" · version u8 · 0 or 1 for a sealed value · number i64 · expires f64, or NaN
///     · the value as JSON
///
/// All bytes behind the fifth are sealed if there is a key. Numbers are little-endian.
struct CredentialCoding: Sendable {
    let key: SealingKey?

    static let mostBytes = 64 << 10
    private static let magic: [UInt8] = Array("rhc\u{1}".utf8)

    /// Returns no bytes for a value that can't leave the process, or is too large.
    func encode(_ credentials: SharedCredentials, name: String) -> [UInt8] {
        guard let json = try? credentials.value.json(), json.count <= Self.mostBytes else { return [] }
        let expires = credentials.expiresAt ?? .nan
        let head = [UInt64(bitPattern: credentials.number), expires.bitPattern].flatMap { number in
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        guard let key else { return Self.magic + [0] + head + json }
        guard let sealed = key.seal(head + json, as: name) else { return [] }
        return Self.magic + [1] + sealed
    }

    func decode(_ bytes: [UInt8], name: String) -> SharedCredentials? {
        guard bytes.starts(with: Self.magic), bytes.count > 5, bytes.count <= 2 * Self.mostBytes else {
            return nil
        }
        let rest = Array(bytes[5...])
        let plain: [UInt8]?
        switch (bytes[4], key) {
        case (0, nil): plain = rest
        case (1, let key?): plain = key.open(rest, as: name)
        default: plain = nil
        }
        guard let plain, plain.count > 16, let value = try? Tree(json: Array(plain[16...])) else {
            return nil
        }
        let numbers = plain.withUnsafeBytes { bytes in
            [0, 8].map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)) }
        }
        let expires = Double(bitPattern: numbers[1])
        return SharedCredentials(
            number: Int64(bitPattern: numbers[0]), value, expiresAt: expires.isNaN ? nil : expires)
    }
}
