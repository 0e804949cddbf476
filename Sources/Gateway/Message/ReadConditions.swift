import RestEngine

/// What a client says about the content that it wants: which form of it, which part, how fresh. One object,
/// since each answer hands it on several times.
final class ReadConditions: Sendable {
    static let usual = ReadConditions(.none, [], isHead: false)

    let directives: CacheDirectives
    /// Nil: any type.
    let accepted: AcceptedTypes?
    /// Those that it understands, the best first.
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

    /// The same of a client that has contents with these tags.
    func asking(ifNoneMatch tags: String?) -> ReadConditions { ReadConditions(self, ifNoneMatch: tags) }

    /// The same where the API has been told what the client accepts, and nobody else gets the content.
    var ofOwnRead: ReadConditions {
        ReadConditions(range: range, ifModifiedSince: ifModifiedSince, ifNoneMatch: ifNoneMatch)
    }

    private init(range: ByteRangeRequest?, ifModifiedSince: String?, ifNoneMatch: String?) {
        (directives, accepted, codings) = (CacheDirectives(), nil, [])
        (self.range, self.ifModifiedSince, self.ifNoneMatch) = (range, ifModifiedSince, ifNoneMatch)
    }

    var wantsEvents: Bool { accepted?.prefersEvents ?? false }
}

/// What a request's Cache-Control asks for (RFC 9111 5.2.1). Times in seconds.
struct CacheDirectives: Sendable, Equatable {
    /// The API is asked in any case.
    private(set) var isNew = false
    private(set) var isOnlyIfCached = false
    private(set) var maxAge: Double?
    private(set) var minFresh: Double?
    private(set) var maxStale: Double?

    init() {}

    /// What it doesn't know, and what makes no sense, it leaves out.
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

    /// It says more than "what is fresh".
    var isUsual: Bool { self == CacheDirectives() }

    /// Whether an answer may be given out as it is.
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

    /// 1 where nothing is said.
    static func quality(_ parameters: some Sequence<Substring>) -> Double {
        for parameter in parameters where parameter.hasPrefix("q=") {
            return Double(parameter.dropFirst(2)).map { min(1, max(0, $0)) } ?? 0
        }
        return 1
    }

    /// Of the range that names the type most exactly; nothing that makes sense accepts all. Who takes
    /// `application/json` takes what is written in it, as `application/vnd.api+json` is (RFC 6838 4.2.8).
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

    /// A stream is asked for by its name, and nothing else is wanted more.
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

    /// Nil for other units, for several ranges and for what is none: then the whole is served (14.2).
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

    /// Of more bytes than there can be is a number as well.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(HTTPByte.isDigit) ? Int(text) ?? .max : nil
    }

    /// The client's copy is still this one, or it doesn't say which it has (RFC 9110 13.1.5: strong tags and
    /// exact dates alone).
    func applies(etag: String, lastModified: String?) -> Bool {
        guard let ifRange else { return true }
        return ifRange.hasPrefix("\"") ? ifRange == etag : ifRange == lastModified
    }

    /// Of so many bytes; nil when it has none of them.
    func range(of count: Int) -> Range<Int>? {
        switch bounds {
        case .from(let first, let last):
            first < count ? first..<min(count - 1, last ?? count) + 1 : nil
        case .last(let wanted): wanted > 0 && count > 0 ? max(0, count - wanted)..<count : nil
        }
    }
}

extension Substring {
    /// Without spaces and tabs around it.
    var trimmingBlanks: Substring {
        var text = self
        while let byte = text.utf8.first, HTTPByte.isBlank(byte) { text.removeFirst() }
        while let byte = text.utf8.last, HTTPByte.isBlank(byte) { text.removeLast() }
        return text
    }
}
