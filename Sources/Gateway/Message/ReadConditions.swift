import RestEngine

/// A client's conditions about the content: its form, its part and its freshness. It is one object, because
/// each answer passes it on several times.
final class ReadConditions: Sendable {
    static let usual = ReadConditions(.none, [], isHead: false)

    let directives: CacheDirectives
    /// Nil means any type.
    let accepted: AcceptedTypes?
    /// The codings that the client understands, the best first.
    let codings: [ContentCoding]
    let range: ByteRangeRequest?
    let ifModifiedSince: String?
    let ifNoneMatch: String?

    init(_ fields: RequestFields, _ notable: NotableFields, isHead: Bool) {
        ifNoneMatch = fields["if-none-match"]
        accepted = notable.contains(.accept) ? fields["accept"].map(AcceptedTypes.init) : nil
        codings =
            notable.contains(.acceptEncoding)
            ? fields["accept-encoding"].map(ContentCoding.accepted) ?? [] : []
        range =
            notable.contains(.range) && !isHead
            ? fields.single("range").flatMap { ByteRangeRequest($0, ifRange: fields.single("if-range")) }
            : nil
        ifModifiedSince =
            notable.contains(.ifModifiedSince) && ifNoneMatch == nil
            ? fields.single("if-modified-since") : nil
        directives =
            notable.contains(.cacheControl)
            ? fields["cache-control"].map(CacheDirectives.init) ?? CacheDirectives() : CacheDirectives()
    }

    private init(_ conditions: ReadConditions, ifNoneMatch tags: String?) {
        (directives, accepted, codings, range) = (
            conditions.directives, conditions.accepted, conditions.codings, conditions.range
        )
        ifModifiedSince = tags == nil ? conditions.ifModifiedSince : nil
        ifNoneMatch = tags
    }

    /// A copy for a client that has contents with these tags.
    func asking(ifNoneMatch tags: String?) -> ReadConditions { ReadConditions(self, ifNoneMatch: tags) }

    /// A copy for content that the API sent for this client's Accept and that no other client gets.
    var ofOwnRead: ReadConditions {
        ReadConditions(range: range, ifModifiedSince: ifModifiedSince, ifNoneMatch: ifNoneMatch)
    }

    private init(range: ByteRangeRequest?, ifModifiedSince: String?, ifNoneMatch: String?) {
        (directives, accepted, codings) = (CacheDirectives(), nil, [])
        (self.range, self.ifModifiedSince, self.ifNoneMatch) = (range, ifModifiedSince, ifNoneMatch)
    }

    var wantsEvents: Bool { accepted?.prefersEvents ?? false }
}

/// The directives of a request's Cache-Control (RFC 9111 5.2.1). Times in seconds.
struct CacheDirectives: Sendable, Equatable {
    /// The API is asked in any case.
    private(set) var isNew = false
    private(set) var isOnlyIfCached = false
    private(set) var maxAge: Double?
    private(set) var minFresh: Double?
    private(set) var maxStale: Double?

    init() {}

    /// Unknown directives and invalid values are ignored.
    init(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            UnsafeRawBufferPointer(bytes).forEachListMember { member in
                let name = UnsafeRawBufferPointer(
                    rebasing: member[..<(member.firstIndex(of: UInt8(ascii: "=")) ?? member.count)])
                let seconds =
                    name.count < member.count
                    ? Self.seconds(UnsafeRawBufferPointer(rebasing: member[(name.count + 1)...])) : nil
                if name.isExactly("no-cache") { isNew = true }
                if name.isExactly("only-if-cached") { isOnlyIfCached = true }
                if name.isExactly("max-age") { maxAge = seconds }
                if name.isExactly("min-fresh") { minFresh = seconds }
                if name.isExactly("max-stale") { maxStale = name.count == member.count ? .infinity : seconds }
            }
        }
    }

    private static func seconds(_ text: UnsafeRawBufferPointer) -> Double? {
        let isQuoted = text.count > 2 && text.first == UInt8(ascii: "\"") && text.last == UInt8(ascii: "\"")
        let digits = isQuoted ? UnsafeRawBufferPointer(rebasing: text[1..<(text.count - 1)]) : text
        return digits.decimal.map(Double.init)
    }

    /// The client has no directives except that the content be fresh.
    var isUsual: Bool { self == CacheDirectives() }

    /// Whether an answer may be sent as it is.
    func accepts(_ answer: PublishedAnswer, at now: Double) -> Bool {
        if isNew { return false }
        if let maxAge, now - answer.timestamp > maxAge { return false }
        let left = answer.expiresAt - now
        if let minFresh, left < minFresh { return false }
        return left >= 0 || (maxStale.map { -left <= $0 } ?? false)
    }
}

/// An Accept header (RFC 9110 12.5.1).
struct AcceptedTypes: Sendable {
    private struct Range {
        let type: Substring
        let subtype: Substring
        let quality: Double
    }
    private var ranges: [Range] = []

    init(_ text: String) {
        for member in text.lowercased().split(separator: ",") {
            let parts = member.split(separator: ";").map { $0.trimmingBlanks }
            let names = (parts.first ?? "").split(separator: "/", maxSplits: 1)
            guard names.count == 2 else { continue }
            ranges.append(Range(type: names[0], subtype: names[1], quality: Self.quality(parts.dropFirst())))
        }
    }

    /// The quality; 1 if none is given.
    static func quality(_ parameters: some Sequence<Substring>) -> Double {
        for parameter in parameters where parameter.hasPrefix("q=") {
            return Double(parameter.dropFirst(2)).map { min(1, max(0, $0)) } ?? 0
        }
        return 1
    }

    /// The quality of the range that names the type most exactly. A header without valid ranges accepts all
    /// types. A client that accepts `application/json` also accepts types that are written in it, such as
    /// `application/vnd.api+json` (RFC 6838 4.2.8).
    func quality(of essence: String) -> Double {
        if ranges.isEmpty { return 1 }
        let names = essence.split(separator: "/", maxSplits: 1)
        let syntax = names.last?.split(separator: "+").dropFirst().last
        var best = (rank: 0, quality: 0.0)
        for range in ranges {
            let rank: Int
            if range.type == "*", range.subtype == "*" {
                rank = 1
            } else if range.type == names.first, range.subtype == "*" {
                rank = 2
            } else if range.type == names.first, range.subtype == names.last {
                rank = 4
            } else if range.type == "application", range.subtype == syntax {
                rank = 3
            } else {
                continue
            }
            if rank > best.rank || rank == best.rank && range.quality > best.quality {
                best = (rank, range.quality)
            }
        }
        return best.quality
    }

    /// The client names the type of event streams, and prefers no other type.
    var prefersEvents: Bool {
        guard let stream = ranges.first(where: { $0.type == "text" && $0.subtype == "event-stream" }) else {
            return false
        }
        return stream.quality > 0 && ranges.allSatisfy { $0.quality <= stream.quality }
    }
}

/// One range of bytes (RFC 9110 14.1.2).
struct ByteRangeRequest: Sendable {
    private enum Bounds {
        case from(Int, to: Int?)
        case last(Int)
    }
    private let bounds: Bounds
    private let ifRange: String?

    /// Nil for other units, for several ranges, and for invalid ranges. Then the whole content is sent
    /// (14.2).
    init?(_ text: String, ifRange: String?) {
        self.ifRange = ifRange
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].trimmingBlanks.split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        let numbers = ends.map { Self.number($0) }
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (true, false):
            guard let count = numbers[1] else { return nil }
            bounds = .last(count)
        case (false, true):
            guard let first = numbers[0] else { return nil }
            bounds = .from(first, to: nil)
        case (false, false):
            guard let first = numbers[0], let last = numbers[1], first <= last else { return nil }
            bounds = .from(first, to: last)
        case (true, true): return nil
        }
    }

    /// A number too large for an Int is valid, and means the largest one.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(HTTPByte.isDigit) ? Int(text) ?? .max : nil
    }

    /// The client's copy is still the current one, or the client names no copy (RFC 9110 13.1.5: only strong
    /// tags and exact dates).
    func applies(etag: String, lastModified: String?) -> Bool {
        guard let ifRange else { return true }
        return ifRange.hasPrefix("\"") ? ifRange == etag : ifRange == lastModified
    }

    /// The range in content of this length; nil if the content has none of its bytes.
    func range(of count: Int) -> Range<Int>? {
        switch bounds {
        case .from(let first, let last):
            first < count ? first..<min(count - 1, last ?? count) + 1 : nil
        case .last(let wanted): wanted > 0 && count > 0 ? max(0, count - wanted)..<count : nil
        }
    }
}

extension Substring {
    /// The text without spaces and tabs around it.
    var trimmingBlanks: Substring {
        var text = self
        while let byte = text.utf8.first, HTTPByte.isBlank(byte) { text.removeFirst() }
        while let byte = text.utf8.last, HTTPByte.isBlank(byte) { text.removeLast() }
        return text
    }
}
