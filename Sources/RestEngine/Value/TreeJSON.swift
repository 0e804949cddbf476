import CJSON

/// Text that is not JSON, or a value that has no JSON form.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    package enum Code: Int32, Sendable {
        case malformed = 1
        case invalidUTF8, tooDeep, tooLarge, numberRange, unencodable, cycle, noMemory, invalidTree
    }

    /// The kind of error, for programs.
    package let code: Code
    /// When decoding, the offset in the text; when encoding, inside the offending string.
    public let offset: Int
    /// A sentence; when encoding, it begins with the path of the offending value.
    public let message: String

    public var description: String {
        code == .malformed || code == .invalidUTF8 ? "\(message) (at byte \(offset))" : message
    }

    fileprivate init(_ code: Code, _ offset: Int, _ message: String) {
        (self.code, self.offset, self.message) = (code, offset, message)
    }

    init(_ raw: cjson_error) {
        code = Code(rawValue: raw.code) ?? .invalidTree
        offset = Int(raw.offset)
        message = withUnsafeBytes(of: raw.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension Tree {
    /// Decodes JSON text, validating all of it. Scalars are accepted too: check ``kind``.
    ///
    /// - Throws: An error with the offset of the fault, also for text that is nested deeper than 512 levels.
    public init(json: [UInt8]) throws(JSONError) { try self.init(json: json, limits: .standard) }

    /// The same for text in a string.
    public init(json: String) throws(JSONError) { try self.init(json: Array(json.utf8)) }

    /// Decodes JSON text within limits of its own.
    package init(json: [UInt8], limits: Limits) throws(JSONError) {
        var limits = limits.raw
        let encoded = try fill { out, error in
            json.withUnsafeBufferPointer { text in
                cjson_tree_from_json(text.baseAddress, text.count, json.capacity, &limits, out, error)
            }
        }
        self.init(encoded: encoded)
    }

    /// Decodes lines with one JSON value each into an array. Blank lines are skipped.
    init(jsonLines bytes: [UInt8], limits: Limits = .standard) throws(JSONError) {
        var builder = Builder()
        try builder.array { builder throws(JSONError) in
            var (start, number) = (0, 0)
            while start < bytes.count {
                number += 1
                let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
                let line = bytes[start..<end]
                defer { start = end + 1 }
                guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
                let rest = Limits(depth: limits.depth - 1, bytes: limits.bytes - builder.byteCount)
                do throws(JSONError) { builder.tree(try Tree(json: Array(line), limits: rest)) } catch {
                    throw JSONError(
                        error.code, start + error.offset, "line \(number): \(error.message)")
                }
            }
        }
        self = builder.finish()
    }

    /// Compact JSON text. Throws for NaN and infinities, strings that are not UTF-8, and general tables.
    public func json() throws(JSONError) -> [UInt8] {
        if let written = text?.written { return written }
        return try fill { out, error in
            withUnsafeBytes { tree in
                cjson_json_from_tree(
                    tree.baseAddress?.assumingMemoryBound(to: UInt8.self), tree.count, out, error)
            }
        }
    }
}

extension Tree: CustomStringConvertible {
    /// JSON text, or the reason why there is none.
    public var description: String {
        do {
            return String(decoding: try json(), as: UTF8.self)
        } catch {
            return "<\(error.message)>"
        }
    }
}

/// Calls a function of CJSON that fills a buffer, and copies the result.
private func fill(
    _ body: (UnsafeMutablePointer<cjson_buffer>, UnsafeMutablePointer<cjson_error>) -> Int32
) throws(JSONError) -> [UInt8] {
    var buffer = cjson_buffer()
    var error = cjson_error()
    defer { cjson_buffer_free(&buffer) }
    guard body(&buffer, &error) == CJSON_OK else { throw JSONError(error) }
    return Array(UnsafeBufferPointer(start: buffer.data, count: buffer.count))
}
