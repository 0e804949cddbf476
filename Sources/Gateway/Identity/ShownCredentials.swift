import Platform
import RestEngine

/// The fields of a request that say who its client is.
struct ShownCredentials: Sendable, Equatable {
    private(set) var authorization: [UInt8]?
    private(set) var key: [UInt8]?

    static let none = ShownCredentials()

    /// - Parameters:
    ///   - header: The name of the header that carries API keys; nil if there are none.
    ///   - events: Where streams of events may have their token, too.
    init(
        _ head: RequestHead, _ bytes: UnsafeRawBufferPointer, keysIn header: FieldName?,
        events: EventCredentials? = nil
    ) {
        authorization = head.authorization.map { Array($0.bytes(in: bytes)) }
        if authorization == nil, let made = events?.authorization(head, bytes) {
            authorization = Array(made.utf8)
        }
        key = header.flatMap { $0.value(in: head, bytes) }.map { Array($0) }
    }

    private init() {}

    /// The head has the same fields.
    @inline(__always)
    func areShown(by head: RequestHead, _ bytes: UnsafeRawBufferPointer, keysIn header: FieldName?) -> Bool {
        guard Self.isSame(authorization, head.authorization?.bytes(in: bytes)) else { return false }
        guard let header else { return true }
        return Self.isSame(key, header.value(in: head, bytes))
    }

    @inline(__always)
    private static func isSame(_ known: [UInt8]?, _ shown: UnsafeRawBufferPointer?) -> Bool {
        guard let known, let shown else { return known == nil && shown == nil }
        return known.withUnsafeBytes { $0.elementsEqual(shown) }
    }

    /// The credentials behind the name of a scheme (RFC 9110 11.4); nil for another scheme.
    func authorization(_ scheme: StaticString) -> [UInt8]? {
        guard let authorization else { return nil }
        let length = scheme.utf8CodeUnitCount
        return authorization.withUnsafeBytes { value in
            guard value.count > length + 1, value.equalsIgnoringCase(scheme, at: 0), value[length] == .space
            else { return nil }
            return Array(value[(length + 1)...].drop { $0 == .space })
        }
    }
}

/// The name of a field that is looked for in heads, in any case.
struct FieldName: Sendable, Equatable {
    let text: String
    private let lower: [UInt8]

    init(_ text: String) {
        self.text = text
        lower = Array(text.lowercased().utf8)
    }

    /// The value of the only field with this name. Nil if there are several, because two readers might choose
    /// different ones.
    func value(in head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var found: UnsafeRawBufferPointer?
        var count = 0
        var start = 0
        let all = UnsafeRawBufferPointer(rebasing: bytes[..<head.length])
        while let newline = all.firstNewline(from: start) {
            defer { start = newline + 1 }
            guard isName(at: start, of: all) else { continue }
            let value = all[(start + lower.count + 1)..<newline]
            count += 1
            found = UnsafeRawBufferPointer(rebasing: value.trimmingBlanks)
        }
        return count == 1 ? found : nil
    }

    @inline(__always)
    private func isName(at start: Int, of all: UnsafeRawBufferPointer) -> Bool {
        guard start + lower.count < all.count, all[start + lower.count] == .colon else { return false }
        for (offset, byte) in lower.enumerated() {
            if all[start + offset].asciiLowercased != byte { return false }
        }
        return true
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Without blanks, and without the CR of the line's end.
    fileprivate var trimmingBlanks: Slice<UnsafeRawBufferPointer> {
        var rest = drop(while: HTTPByte.isBlank)
        while let last = rest.last, HTTPByte.isBlank(last) || last == .carriageReturn { rest.removeLast() }
        return rest
    }
}
