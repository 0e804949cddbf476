/// Reads arbitrary bytes as servers' fields about waits and limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(unsafe UnsafeBufferPointer(start: data, count: count))
    let now = 1_700_000_000.0
    let text = String(decoding: bytes, as: UTF8.self)
    switch RetryAfter(text, now: now) {
    case .seconds(let seconds): precondition(seconds >= 0 && seconds.isFinite)
    case .past, .malformed: break
    }
    precondition(RetryAfter(text, now: now).wait(cap: 10).map { 0...10 ~= $0 } ?? true)
    // A line for each field, as `name: value`.
    var headers = Headers()
    for line in text.split(separator: "\n", maxSplits: 20) {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { continue }
        headers.add(String(parts[0]), String(parts[1]))
    }
    for name in ["RateLimit", "RateLimit-Policy", "X-RateLimit-Reset"] { headers.add(name, text) }
    let fields = RateLimitFields(headers, now: now)
    for number in [fields.left, fields.reset, fields.rate] {
        precondition(number.map { $0 >= 0 && $0.isFinite } ?? true)
    }
    precondition((fields.reset ?? 0) <= RateLimitFields.maxReset)
    // A bucket that learned a limit still has a next time, and a token at that time.
    var bucket = TokenBucket(rate: 10, burst: 10)
    if let rate = fields.rate, rate > 0 { bucket.learn(rate: rate, at: 0) }
    if let left = fields.left, let reset = fields.reset { bucket.learn(left: left, seconds: reset, at: 0) }
    precondition(bucket.nextTime(at: 0) >= 0)
    return 0
}

extension String {
    /// The engine's own version is in a file that this target leaves out.
    var printable: String { self }
}
