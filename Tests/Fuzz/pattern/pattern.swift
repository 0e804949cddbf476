/// Reads any text as a glob, a path with names and a regular expression, and matches any URL. The pattern is
/// the text before the first line end, the URL the text behind it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPattern(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = UnsafeBufferPointer(start: data, count: count)
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { return 0 }
    let pattern = String(decoding: first, as: UTF8.self)
    let text = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "https://api.test/v1/users?x=1"
    guard let url = URLText(text) else { return 0 }
    if let glob = try? GlobPattern(pattern) {
        // The matcher follows all ways at once. It must agree with one that tries them in turn.
        let address = Array(url.withoutQuery)
        let matches = glob.matches(url)
        if glob.steps.count * address.count < 200 {
            var tries = 20_000
            let slow = follow(glob.steps[...], address[...], &tries)
            precondition(tries <= 0 || slow == matches, "\(pattern) and \(text)")
        }
    }
    if let base = try? BaseURL("https://api.test/v1/"), let glob = try? GlobPattern(pattern, base: base) {
        _ = glob.matches(url)
    }
    if let path = try? PathPattern(pattern) {
        // No value leads to another path.
        let values = path.values(in: url.path)
        precondition(
            values?.values.allSatisfy { !PathText.hasDotSegment($0) } ?? true, "\(pattern) and \(text)")
    }
    if let regex = try? CompiledRegex(pattern, options: count % 2 == 0 ? "" : "i") {
        _ = try? regex.matches(url)
    }
    return 0
}

/// Tries one way after the other.
private func follow(_ steps: ArraySlice<GlobStep>, _ text: ArraySlice<UInt8>, _ tries: inout Int) -> Bool {
    tries -= 1
    guard tries > 0 else { return false }
    guard let step = steps.first else { return text.isEmpty }
    let rest = steps.dropFirst()
    switch step {
    case .byte(let byte): return text.first == byte && follow(rest, text.dropFirst(), &tries)
    case .one:
        return text.first.map { $0 != UInt8(ascii: "/") } ?? false && follow(rest, text.dropFirst(), &tries)
    case .star:
        if follow(rest, text, &tries) { return true }
        guard let byte = text.first, byte != UInt8(ascii: "/") else { return false }
        return follow(steps, text.dropFirst(), &tries)
    case .deep:
        if follow(rest, text, &tries) { return true }
        return !text.isEmpty && follow(steps, text.dropFirst(), &tries)
    case .optional: return follow(rest.dropFirst(), text, &tries) || follow(rest, text, &tries)
    case .upToSlash:
        guard let byte = text.first else { return false }
        if byte == UInt8(ascii: "/"), follow(rest, text.dropFirst(), &tries) { return true }
        return follow(steps, text.dropFirst(), &tries)
    }
}
