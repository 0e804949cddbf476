internal import CCurl

/// A URL as libcurl has read it, so that it needn't do so for each transfer (CURLOPT_CURLU(3)). Of one
/// thread; it must outlive the handles that have it.
final class ParsedURL {
    let parts: OpaquePointer

    /// Nil where libcurl can't read it, or has no memory: it says why when it is given the text.
    init?(_ url: String) {
        guard let parts = curl_url() else { return nil }
        // As libcurl reads the text with CURLOPT_PATH_AS_IS.
        guard curl_url_set(parts, CURLUPART_URL, url, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK else {
            curl_url_cleanup(parts)
            return nil
        }
        self.parts = parts
    }

    deinit { curl_url_cleanup(parts) }
}

/// The URLs that come again. Of one thread.
final class ParsedURLs {
    /// Each holds about a kilobyte.
    private static let places = 256

    private struct Place {
        var url = ""
        var parsed: ParsedURL?
    }

    private var all = [Place](repeating: Place(), count: places)

    /// Nil at the first sight of a URL: reading one that doesn't come again would be for nothing.
    func find(_ url: String) -> ParsedURL? {
        let place = Int(truncatingIfNeeded: UInt(bitPattern: url.hashValue) % UInt(Self.places))
        guard all[place].url == url else {
            all[place] = Place(url: url)
            return nil
        }
        if let parsed = all[place].parsed { return parsed }
        let parsed = ParsedURL(url)
        all[place].parsed = parsed
        return parsed
    }
}
