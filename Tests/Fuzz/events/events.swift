/// Reads arbitrary bytes as a stream of events. However they are cut, the events are the same and no limit is
/// exceeded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(unsafe UnsafeBufferPointer(start: data, count: count))
    let limit = 200
    let whole = events([bytes], limit)
    let cut = (bytes.first).map { Int($0) % max(1, bytes.count) } ?? 0
    precondition(events([Array(bytes[..<cut]), Array(bytes[cut...])], limit) == whole)
    precondition(events(bytes.map { [$0] }, limit) == whole)
    for event in whole ?? [] {
        precondition(event.data.count <= 3 * limit && !event.type.isEmpty)
        precondition(event.id.utf8.count <= 3 * EventStreamParser.mostIDBytes)
        precondition(!event.id.utf8.contains { $0 < 0x20 && $0 != 9 })
    }
    return 0
}

/// Nil if an event was too large.
private func events(_ parts: [[UInt8]], _ limit: Int) -> [EventStreamParser.Event]? {
    var parser = EventStreamParser(limit: limit)
    var events: [EventStreamParser.Event] = []
    do { for part in parts { events += try parser.take(part) } } catch { return nil }
    precondition(parser.retrySeconds.map { $0 >= 0 && $0 <= 1e9 } ?? true)
    return events
}
