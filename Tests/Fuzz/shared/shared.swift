import Coordination

@testable import RestEngine

/// Reads any bytes as replies of a Redis server, at once and in pieces whose length is the first byte, which
/// must find the same. Reads these replies as invalidations of other hosts, and the bytes as credentials.
/// Then reads the bytes as an entry of a cache, once as it is and once with right checksums.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzShared(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let stream = Array(bytes.dropFirst())
    precondition(found(in: stream, pieces: .max) == found(in: stream, pieces: Int(bytes.first ?? 0) + 1))

    let place = CacheEntry.Place(stage: "s", user: "", service: "a", partition: nil, url: "u")
    _ = CacheEntry.decode(bytes, of: place, most: 1 << 16)
    let sum = bytes.withUnsafeBytes { ContentHash($0).checksum }
    let head =
        CacheEntry.magic + CacheEntry.stampBytes(1) + withUnsafeBytes(of: sum.littleEndian) { Array($0) }
    let entry = head + bytes
    _ = CacheEntry.decode(entry, of: place, most: 1 << 16)
    if let known = CacheEntry.place(ofHead: entry) {
        // The entry of that place is read, or rejected, but is none of another place.
        if case .other = CacheEntry.decode(entry, of: known, most: 1 << 16) {
            preconditionFailure("another place")
        }
    }
    _ = CredentialCoding(key: nil).decode(bytes, name: "a")
    let credentials = CredentialCoding(key: nil).encode(
        SharedCredentials(
            number: Int64(count), Tree(String(decoding: stream, as: UTF8.self)), expiresAt: nil),
        name: "a")
    if !credentials.isEmpty {
        precondition(CredentialCoding(key: nil).decode(credentials, name: "a")?.number == Int64(count))
    }
    if let plain = Compression.unpack(bytes[...], count: 4096) { precondition(plain.count == 4096) }
    return 0
}

/// Reads a reply as one to XREAD, and the invalidations in it as those of another host.
private func follow(_ value: RedisValue) {
    let entries = StreamReply.streams(value).values.joined().map { InvalidationEntry($0) }
    var log = InvalidationLog(host: "own")
    _ = log.started()
    _ = log.located(nil)
    _ = log.received(entries)
    for case .overridden(let bytes)? in entries.map(\.invalidation?.change) { _ = OverriddenData(bytes) }
    precondition(entries.isEmpty || log.place?.number == entries.last?.number)
}

private struct Found: Equatable {
    var messages: [String] = []
    var fault: String?
}

private func found(in bytes: [UInt8], pieces: Int) -> Found {
    var limits = RESPReader.Limits()
    limits.bulk = 512
    limits.elements = 64
    limits.depth = 8
    var (reader, found, rest) = (RESPReader(limits: limits), Found(), bytes[...])
    do throws(RESPReader.Fault) {
        repeat {
            reader.feed(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            while let message = try reader.next() {
                found.messages.append("\(message)")
                if case .reply(let value) = message { follow(value) }
            }
        } while !rest.isEmpty
    } catch { found.fault = error.description }
    return found
}
