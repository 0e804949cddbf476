/// Makes trees of Swift values, for bodies of requests and for content that scripts and the gateway can see.
///
/// Nil properties are left out, as their types say. In a program that links Foundation its `Date` becomes RFC 3339 text
/// or Unix seconds, and its `URL` a string.
public struct TreeEncoder: Sendable {
    /// How a `Date` is written.
    public enum DateStyle: Sendable {
        /// `2026-06-19T08:30:00Z`.
        case internet
        case unixSeconds
    }

    /// How names of properties are written; the keys of dictionaries stay as they are.
    public var keys = KeyStyle.asWritten
    /// How values of Foundation's `Date` are written.
    public var dates = DateStyle.internet
    /// Containers inside each other; values that are deeper, or that contain themselves, are an error.
    public var maxDepth = 128
    /// For types whose `encode(to:)` asks for it.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// An encoder with the usual limits.
    public init(keys: KeyStyle = .asWritten) { self.keys = keys }

    /// - Throws: ``CodingFailure``, which says what in the value has no form in a tree.
    public func encode(_ value: some Encodable) throws(CodingFailure) -> Tree {
        do {
            let part = try TreeWriter(TreeSlot(), CodingPath(), TreeWriter.Options(self)).part(value)
            var builder = Tree.Builder()
            part.write(to: &builder)
            return builder.finish()
        } catch {
            throw CodingFailure(error, type: "\(type(of: value))")
        }
    }
}
