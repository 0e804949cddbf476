import RestEngine

/// What clients say of the content that they want, by the bytes that say so: most say the same each time.
///
/// Of Accept and Accept-Encoding alone: what else a head may say is hardly ever said twice.
final class KnownConditions: Sendable {
    let conditions: ReadConditions
    private let accept: [UInt8]
    private let encodings: [UInt8]

    fileprivate init(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) {
        accept = Self.bytes(head.acceptInUse, bytes)
        encodings = Self.bytes(head.acceptEncoding, bytes)
        conditions = ReadConditions(RequestFields(Array(bytes[..<head.length])), head.notable, isHead: false)
            .asking(ifNoneMatch: nil)
    }

    /// The head says the same.
    @inline(__always)
    func isSaid(by head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        Self.isSame(accept, head.acceptInUse, bytes) && Self.isSame(encodings, head.acceptEncoding, bytes)
    }

    private static func bytes(_ range: ByteRange?, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        range.map { Array($0.bytes(in: bytes)) } ?? []
    }

    @inline(__always)
    private static func isSame(
        _ known: [UInt8], _ range: ByteRange?, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        guard let range else { return known.isEmpty }
        return known.withUnsafeBytes { $0.elementsEqual(range.bytes(in: bytes)) }
    }
}

extension RequestHead {
    /// Nothing is said of the content that is wanted but what ``KnownConditions`` has, and perhaps what the client
    /// has already. Then a date says nothing more (RFC 9110 13.1.3).
    var hasKnowableConditions: Bool {
        let known: NotableFields = ifNoneMatch == nil ? [] : .ifModifiedSince
        return notable.subtracting(known).isSubset(of: [.accept, .acceptEncoding])
            && !repeatsConditions && !hasSeveralIfNoneMatch
    }

    /// ``KnownConditions`` of it would not be the usual ones.
    var hasAcceptFields: Bool { !notable.isDisjoint(with: [.accept, .acceptEncoding]) }

    /// `*/*` says nothing.
    fileprivate var acceptInUse: ByteRange? { notable.contains(.accept) ? accept : nil }
}

/// The terms of one event loop's clients. Few; who comes with others takes the place of those that were first
/// here.
struct ConditionsTable {
    private var all: [KnownConditions] = []
    private static let limit = 16
    /// Of the fields' values together. Longer ones aren't kept.
    private static let mostBytes = 512

    /// The terms of a head that has some. Nil where it wants an event stream, or says more than is kept.
    mutating func find(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer, last: KnownConditions?) -> KnownConditions?
    {
        guard head.hasKnowableConditions else { return nil }
        if let last, last.isSaid(by: head, bytes) { return last }
        for known in all where known.isSaid(by: head, bytes) { return known }
        guard (head.accept?.count ?? 0) + (head.acceptEncoding?.count ?? 0) <= Self.mostBytes else {
            return nil
        }
        let known = KnownConditions(head, bytes)
        guard !known.conditions.wantsEvents else { return nil }
        if all.count == Self.limit { all.removeFirst() }
        all.append(known)
        return known
    }
}
