/// The text of a body. Its charset comes from the first of these sources (rule 18.3, D41): the byte order
/// mark, the label that the server gave, the document's own declaration, and the bytes themselves.
struct BodyText {
    private let bytes: [UInt8]
    /// The essence of its media type, in lower case.
    private let essence: String
    /// The charset of the Content-Type; nil without one.
    private let label: String?

    init(_ bytes: [UInt8], contentType: String?, charset: String?) {
        self.bytes = bytes
        essence = contentType.map { MediaType($0).essence } ?? ""
        label = charset
    }

    /// Throws if the server's charset is unknown, or the bytes are invalid in it. A mark or a declaration
    /// that does not fit the bytes is ignored.
    func decode() throws(RequestError.CauseError) -> String {
        if let mark, let text = TextCharset(mark.charset)?.decode(Array(bytes.dropFirst(mark.count))) {
            return text
        }
        if let label { return try decode(as: label) }
        if let text = declared?.decode(bytes) { return text }
        return String(validating: bytes, as: UTF8.self) ?? TextCharset.decodeWindows1252(bytes)
    }

    /// Ignores the charsets of server and document.
    func decode(as charset: String) throws(RequestError.CauseError) -> String {
        guard let known = TextCharset(charset) else {
            throw RequestError.CauseError(.invalidTextEncoding(name: charset))
        }
        guard let text = known.decode(bytes) else {
            throw RequestError.CauseError(.undecodableText(encoding: charset))
        }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// The byte order mark (https://encoding.spec.whatwg.org/#bom-sniff).
    private var mark: (charset: String, count: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return ("utf-8", 3) }
        if bytes.starts(with: [0xFE, 0xFF]) { return ("utf-16be", 2) }
        // The UTF-32 mark begins like that of UTF-16; it counts only if the label says UTF-32.
        if bytes.starts(with: [0xFF, 0xFE]), label?.hasPrefix("utf-32") != true { return ("utf-16le", 2) }
        return nil
    }

    /// The number of bytes that are searched for a declaration.
    private static let scannedBytes = 1024

    /// The charset that the document declares in ASCII; a charset that is not a superset of ASCII is ignored.
    private var declared: TextCharset? {
        var scan = DeclarationScan(bytes.prefix(Self.scannedBytes))
        let name: String?
        if essence == "text/html" {
            name = scan.charsetOfHTML()
        } else if essence.hasSuffix("/xml") || essence.hasSuffix("+xml") {
            name = scan.charsetOfXML()
        } else {
            name = nil
        }
        guard let charset = name.flatMap({ TextCharset($0) }), charset.decode([0x3C]) == "<" else {
            return nil
        }
        return charset
    }
}

/// Searches for a charset at the beginning of a document
/// (https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding).
private struct DeclarationScan {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The charset of `<?xml … encoding="…"?>`.
    mutating func charsetOfXML() -> String? {
        guard take("<?xml"), rest.first.map(Self.isBlank) ?? false else { return nil }
        while let (name, value) = attribute() {
            if name == "encoding" { return value }
        }
        return nil
    }

    /// The charset of the first `<meta charset="…">` or `<meta http-equiv="content-type" content="…;
    /// charset=…">`.
    mutating func charsetOfHTML() -> String? {
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if begins(with: "<!--") {
                // `<!-->` is a complete comment.
                rest = rest[(start + 2)...]
                skip(behind: "-->")
            } else if begins(with: "<meta"), rest.dropFirst(5).first.map(Self.endsName) ?? false {
                rest = rest.dropFirst(5)
                if let charset = charsetOfMeta() { return charset }
            } else {
                rest = rest[(start + 1)...]
                if rest.first.map(Self.isLetter) ?? false {
                    while let byte = rest.first, !Self.endsName(byte) { rest.removeFirst() }
                    while attribute() != nil {}
                } else if let mark = rest.first, mark == 0x21 || mark == 0x2F || mark == 0x3F {
                    skip(behind: ">")
                }
            }
        }
        return nil
    }

    private mutating func charsetOfMeta() -> String? {
        var charset: String?
        var ofContent: String?
        var isContentType = false
        while let (name, value) = attribute() {
            switch name {
            case "charset": charset = charset ?? value
            case "http-equiv": isContentType = value == "content-type"
            case "content": ofContent = ofContent ?? MediaType.charset(of: value)
            default: break
            }
        }
        return charset ?? (isContentType ? ofContent : nil)
    }

    /// The next attribute of a tag, in lower case; nil at the end of the tag, or if the bytes end before.
    private mutating func attribute() -> (name: String, value: String)? {
        while let byte = rest.first, Self.isBlank(byte) || byte == 0x2F { rest.removeFirst() }
        let name = word { $0 == UInt8(ascii: "=") || Self.endsName($0) }
        skipBlanks()
        guard rest.first == UInt8(ascii: "=") else {
            if name.isEmpty {
                rest = rest.dropFirst()
                return nil
            }
            return (name, "")
        }
        rest.removeFirst()
        skipBlanks()
        guard let quote = rest.first, quote == 0x22 || quote == 0x27 else {
            let value = word { Self.isBlank($0) || $0 == UInt8(ascii: ">") }
            // A value that is cut off is ignored.
            return rest.isEmpty ? nil : (name, value)
        }
        rest.removeFirst()
        let value = word { $0 == quote }
        guard !rest.isEmpty else { return nil }
        rest.removeFirst()
        return (name, value)
    }

    private mutating func word(until isEnd: (UInt8) -> Bool) -> String {
        let word = rest.prefix { !isEnd($0) }
        rest = rest[word.endIndex...]
        return String(decoding: word, as: UTF8.self).lowercased()
    }

    private mutating func skipBlanks() {
        while let byte = rest.first, Self.isBlank(byte) { rest.removeFirst() }
    }

    private mutating func skip(behind end: String) {
        while !rest.isEmpty, !take(end) { rest.removeFirst() }
    }

    private mutating func take(_ text: String) -> Bool {
        guard begins(with: text) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Ignores ASCII case; `text` is in lower case.
    private func begins(with text: String) -> Bool {
        rest.prefix(text.utf8.count).elementsEqual(text.utf8) { byte, letter in
            byte == letter || Self.isLetter(byte) && byte | 0x20 == letter
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B
    }

    private static func endsName(_ byte: UInt8) -> Bool { isBlank(byte) || byte == 0x2F || byte == 0x3E }
}
