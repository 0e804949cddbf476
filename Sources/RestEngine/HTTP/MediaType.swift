/// The parts of a Content-Type (RFC 9110 8.3.1).
package struct MediaType: Sendable, Equatable {
    /// `type/subtype`, lower-case.
    package let essence: String
    /// The charset parameter's value, unquoted and lower-case.
    package let charset: String?

    /// Accepts any text; parts that can't be parsed are left out.
    package init(_ text: String) {
        guard text.utf8.contains(UInt8(ascii: ";")) else {
            essence = Self.lowercased(Self.trimmed(text[...]))
            charset = nil
            return
        }
        let parts = Self.split(text)
        essence = Self.lowercased(Self.trimmed(parts.first ?? ""))
        var charset: String?
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: "=") else { continue }
            guard Self.trimmed(part[..<equals]).equalsIgnoringCase("charset") else { continue }
            var value = Self.trimmed(part[part.index(after: equals)...])
            if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
                value = String(value.dropFirst().dropLast())
            }
            if !value.isEmpty { charset = Self.lowercased(value) }
            break
        }
        self.charset = charset
    }

    /// The charset parameter of a Content-Type, as ``charset``; fast, because most have no parameter.
    static func charset(of text: String) -> String? {
        let hasParameter = text.withBytes { UnsafeRawBufferPointer($0).first(UInt8(ascii: ";")) != nil }
        return hasParameter ? MediaType(text).charset : nil
    }

    /// The Content-Type of a multipart body: `text` with its boundary replaced by this one, or removed.
    package static func settingBoundary(_ boundary: String?, in text: String) -> String {
        var parts = split(text).map(trimmed).filter { part in
            let name = part.prefix { $0 != "=" }
            return !trimmed(name).equalsIgnoringCase("boundary")
        }
        if let boundary { parts.append("boundary=\(boundary)") }
        return parts.joined(separator: "; ")
    }

    /// The boundary of a form with parts (RFC 7578); nil for other types.
    package static func formBoundary(of text: String) -> String? {
        let parts = split(text).map(trimmed)
        guard parts.first?.equalsIgnoringCase("multipart/form-data") ?? false else { return nil }
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map { trimmed($0) }
            guard pair.count == 2, pair[0].equalsIgnoringCase("boundary") else { continue }
            let isQuoted = pair[1].utf8.count >= 2 && pair[1].hasPrefix("\"") && pair[1].hasSuffix("\"")
            return isQuoted ? String(pair[1].dropFirst().dropLast()) : pair[1]
        }
        return nil
    }

    /// Splits at semicolons outside of quotes (RFC 9110 5.6.6).
    private static func split(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ";"), !isQuoted {
                parts.append(text[start..<index])
                start = text.utf8.index(after: index)
            }
        }
        return parts + [text[start...]]
    }

    /// Fast, because most are in lower case already.
    private static func lowercased(_ text: String) -> String {
        for byte in text.utf8 where byte &- 0x41 < 26 || byte >= 0x80 { return text.lowercased() }
        return text
    }

    private static func trimmed(_ text: Substring) -> String {
        var bytes = text.utf8
        while let byte = bytes.first, byte == 0x20 || byte == 0x09 { bytes.removeFirst() }
        while let byte = bytes.last, byte == 0x20 || byte == 0x09 { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
