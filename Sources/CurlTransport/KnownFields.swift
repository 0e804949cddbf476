internal import RestEngine

/// The fields of a head, and those of the head before on the same handle: most of what a server says it has
/// said before, so that a line is looked at for being the same first.
struct KnownFields {
    // Of the last head.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// By line, the status line left out; nil for what is no field, or goes on with the one before it.
    private var fields: [Headers.Field?] = []
    private var headers = Headers()
    private var isDecoded = false

    /// Of longer heads nothing is kept.
    private static let mostBytes = 4096

    /// - Parameters:
    ///   - bytes: All lines, without their breaks.
    ///   - ends: Of the lines, of which the first says the status.
    ///   - isDecoded: The body was decompressed: what described the encoded one is left out.
    mutating func headers(of bytes: [UInt8], _ ends: [Int], isDecoded: Bool) -> Headers {
        if isDecoded == self.isDecoded, ends == self.ends,
            bytes.withUnsafeBytes({ new in self.bytes.withUnsafeBytes { $0.elementsEqual(new) } })
        {
            return headers
        }
        var found: [Headers.Field?] = []
        var all: [Headers.Field] = []
        found.reserveCapacity(ends.count)
        all.reserveCapacity(ends.count)
        bytes.withUnsafeBytes { bytes in
            for line in 1..<max(1, ends.count) {
                let text = UnsafeRawBufferPointer(rebasing: bytes[ends[line - 1]..<ends[line]])
                if HTTPByte.isBlank(text[0]) {
                    // A folded line (RFC 9112 5.2) goes on with the value before it.
                    if !all.isEmpty { all[all.count - 1].value += " " + text[...].trimmed.text }
                    found.append(nil)
                    continue
                }
                let field = field(line, text) ?? Self.field(text)
                found.append(field)
                if let field, !(isDecoded && Self.describesEncoding(field.name)) { all.append(field) }
            }
        }
        let headers = Headers(all)
        if bytes.count <= Self.mostBytes {
            (self.bytes, self.ends, fields, self.headers) = (bytes, ends, found, headers)
            self.isDecoded = isDecoded
        }
        return headers
    }

    /// That of the same line of the last head, if it has the same text.
    private func field(_ line: Int, _ text: UnsafeRawBufferPointer) -> Headers.Field? {
        guard line < ends.count, ends[line] - ends[line - 1] == text.count, let field = fields[line - 1]
        else { return nil }
        let isSame = bytes.withUnsafeBytes {
            UnsafeRawBufferPointer(rebasing: $0[ends[line - 1]..<ends[line]]).elementsEqual(text)
        }
        return isSame ? field : nil
    }

    private static func field(_ text: UnsafeRawBufferPointer) -> Headers.Field? {
        guard let colon = text.first(0x3A) else { return nil }
        let name = text[..<colon].trimmed
        let value = text[(colon + 1)...].trimmed
        // Repaired as UTF-8 it would lead to another resource.
        if name.count == 8, name.text.lowercased() == "location", let reference = value.percentEncoded {
            return Headers.Field(name.text, reference)
        }
        return Headers.Field(name.text, value.text)
    }

    private static func describesEncoding(_ name: String) -> Bool {
        switch name.utf8.count {
        case 14: name.lowercased() == "content-length"
        case 16: name.lowercased() == "content-encoding"
        default: false
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Without blanks at its ends.
    var trimmed: Self {
        var rest = self
        while let byte = rest.first, HTTPByte.isBlank(byte) { rest.removeFirst() }
        while let byte = rest.last, HTTPByte.isBlank(byte) { rest.removeLast() }
        return rest
    }

    /// With all bytes beyond ASCII percent-encoded as they are (RFC 3986 2.1), where these are no UTF-8.
    fileprivate var percentEncoded: String? {
        guard contains(where: { $0 >= 0x80 }), String(validating: self, as: UTF8.self) == nil else {
            return nil
        }
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = flatMap { byte in
            byte < 0x80 ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    fileprivate var text: String { String(decoding: UnsafeRawBufferPointer(rebasing: self), as: UTF8.self) }
}
