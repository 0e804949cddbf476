import RestEngine

/// A client's conditions about the content, found by the bytes of its fields, because most clients repeat
/// them.
///
/// Only Accept and Accept-Encoding are kept. Other fields are rarely the same twice.
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

    /// The head has the same fields.
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
    /// The head has no conditions about the content.
    var isPlain: Bool { notable.isSubset(of: .requestID) && ifNoneMatch == nil }

    /// The head has no conditions except those of ``KnownConditions``, and perhaps an If-None-Match, with
    /// which a date has no meaning (RFC 9110 13.1.3).
    var hasKnowableConditions: Bool {
        let known: NotableFields = ifNoneMatch == nil ? .requestID : [.requestID, .ifModifiedSince]
        return notable.subtracting(known).isSubset(of: [.accept, .acceptEncoding])
            && !repeatsConditions && !hasSeveralIfNoneMatch
    }

    /// The head's ``KnownConditions`` would differ from the usual ones.
    var hasAcceptFields: Bool { !notable.isDisjoint(with: [.accept, .acceptEncoding]) }

    /// `*/*` means the same as no field.
    fileprivate var acceptInUse: ByteRange? { notable.contains(.accept) ? accept : nil }
}

/// The few different conditions of an event loop's clients. New conditions take the place of the oldest ones.
struct ConditionsTable {
    private var all: [KnownConditions] = []
    private static let limit = 16
    /// The limit for the fields' values together. Longer values aren't kept.
    private static let mostBytes = 512

    /// The conditions of a head that has some. Nil if it wants a stream of events, or if it has more than is
    /// kept.
    mutating func find(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer, last: KnownConditions?)
        -> KnownConditions?
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
