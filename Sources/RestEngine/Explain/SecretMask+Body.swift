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
}
