extension SecretMask {
    /// A body in which the values of fields that are named like secrets are hidden, in JSON, forms, lines of
    /// text and URLs; and those that are known otherwise.
    func body(_ bytes: [UInt8], _ contentType: String?) -> [UInt8] {
        let media = contentType.map { MediaType($0) }
        let isForm = media?.essence == "application/x-www-form-urlencoded"
        let isText = isForm || media?.isJSON == true || media?.essence.hasPrefix("text/") == true
        guard isText || String(validating: bytes, as: UTF8.self) != nil else { return bytes }
        let isPlain = media.map { ["text/plain", "text/event-stream"].contains($0.essence) } ?? true
        var scan = SecretScan(bytes, isForm ? .inForm : isPlain ? .inWords : .inURLs, hidingBy: self)
        let shown = scan.masked() ?? bytes
        return withoutTexts(shown) ?? shown
    }

    /// A line for people, such as one of a log: as ``line(_:)``, and without the values of fields with a
    /// secret's name, as `password=x`, `password = "x"` and JSON have them.
    public func words(_ text: String) -> String {
        let shown = line(text)
        var scan = SecretScan(Array(shown.utf8), .inWords, hidingBy: self)
        return scan.masked().map { String(decoding: $0, as: UTF8.self) } ?? shown
    }

    /// The value of a named field of such a line.
    public func field(_ name: String, _ value: String) -> String {
        hides(name) ? Self.text : words(value)
    }

    /// The output of a script as it may be shown: without the secrets that are known and passwords of URLs.
    package static func printed(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = masked(bytes)
        var shown: [UInt8] = []
        var copied = 0
        var place = 0
        while let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")) {
            place = colon + 1
            guard bytes[place...].starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) else { continue }
            let start = place + 2
            let end = bytes[start...].firstIndex(where: endsAuthority) ?? bytes.endIndex
            place = end
            guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else { continue }
            shown += bytes[copied..<start]
            shown += text.utf8
            copied = at
        }
        return copied > 0 ? shown + bytes[copied...] : bytes
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "/?#\"'<>".utf8.contains(byte)
    }
}
