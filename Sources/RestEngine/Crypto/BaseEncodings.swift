/// RFC 4648, sections 4 and 5.
package enum Base64 {
    /// The reason why a text can't be decoded.
    package struct DecodingError: Error, Equatable {
        /// The fault, and its location.
        package let message: String
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        return values
    }()

    /// The bytes in the usual alphabet, with padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let a = bytes[index]
            let b = left > 1 ? bytes[index + 1] : 0
            let c = left > 2 ? bytes[index + 2] : 0
            text.append(alphabet[Int(a >> 2)])
            text.append(alphabet[Int((a & 3) << 4 | b >> 4)])
            text.append(left > 1 ? alphabet[Int((b & 15) << 2 | c >> 6)] : UInt8(ascii: "="))
            text.append(left > 2 ? alphabet[Int(c & 63)] : UInt8(ascii: "="))
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The alphabet of RFC 4648 5 without padding, as in tokens (RFC 7515 2); nil for other text.
    package static func decodeURL(_ text: [UInt8]) -> [UInt8]? {
        let plus = UInt8(ascii: "+"), slash = UInt8(ascii: "/"), padding = UInt8(ascii: "=")
        guard !text.contains(where: { $0 == plus || $0 == slash || $0 == padding }) else { return nil }
        return try? decode(text).get()
    }

    /// Accepts either alphabet; padding may be missing, white space is not allowed.
    package static func decode(_ text: [UInt8]) -> Result<[UInt8], DecodingError> {
        var body = text[...]
        while body.last == UInt8(ascii: "="), text.count - body.count < 2 { body.removeLast() }
        let padding = text.count - body.count
        guard body.count % 4 != 1, padding == 0 || (body.count + padding) % 4 == 0 else {
            return .failure(DecodingError(message: "not base64: \(text.count) characters can't be right"))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count * 3 / 4)
        var bits: UInt32 = 0
        var held = 0
        for (offset, byte) in body.enumerated() {
            let value = values[Int(byte)]
            guard value != 0xFF else {
                return .failure(DecodingError(message: "not base64: bad character at byte \(offset)"))
            }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        return .success(bytes)
    }
}

/// Hexadecimal digits (RFC 4648 8).
package enum Hex {
    /// The bytes as hexadecimal digits, in lower case.
    package static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A number with `count` digits.
    package static func digits(_ number: UInt64, count: Int = 16) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// Accepts either case; nil for text that is not made of pairs of digits.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let byte = PercentEncoding.hexPair(text[index...index + 1]) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
