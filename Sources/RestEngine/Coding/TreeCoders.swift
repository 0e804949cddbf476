/// Makes Swift values from trees, without JSON text in between.
///
/// Numbers are exact: an integer that does not fit, or a fraction where an integer is wanted, is an error. A
/// fraction has the precision of a double. In a program that links Foundation, `Date` is read from a number
/// as Unix seconds and from a string as RFC 3339, `URL` from a string, `Data` from a base64 string and
/// `Decimal` from a number.
public struct TreeDecoder: Sendable {
    /// How names of properties are looked up.
    public var keys = KeyStyle.asWritten
    /// Containers inside each other; deeper content is an error, because decoding uses the thread's stack:
    /// 128 levels need up to 400 kB of it.
    package var maxDepth = 128
    /// For types whose `init(from:)` asks for it.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// A decoder with the usual limits.
    public init(keys: KeyStyle = .asWritten) { self.keys = keys }

    /// - Throws: ``CodingError``, which says where the tree is not what `type` wants.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from tree: Tree
    ) throws(CodingError) -> Value {
        do {
            return try TreeReader(tree: tree, path: CodingPath(), options: TreeReader.Options(self)).value()
        } catch {
            throw CodingError(error, type: "\(type)")
        }
    }
}

/// Makes trees from Swift values, for bodies of requests and for content that scripts and the gateway can
/// read.
///
/// Nil properties are left out, as the synthesized code of their types does; integers of any size are
/// numbers. In a program that links Foundation, `Date` becomes RFC 3339 text or Unix seconds, `URL` a string,
/// `Data` a base64 string and `Decimal` a number with all of its digits.
public struct TreeEncoder: Sendable {
    /// How a `Date` is written.
    public enum DateStyle: Sendable {
        /// `2026-06-19T08:30:00Z`.
        case internet
        /// Seconds since 1970, with a fraction.
        case unixSeconds
    }

    /// How names of properties are written; the keys of dictionaries stay as they are.
    public var keys = KeyStyle.asWritten
    /// How values of Foundation's `Date` are written.
    public var dates = DateStyle.internet
    /// Containers inside each other; values that are deeper, or that contain themselves, are an error.
    package var maxDepth = 128
    /// For types whose `encode(to:)` asks for it.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// An encoder with the usual limits.
    public init(keys: KeyStyle = .asWritten) { self.keys = keys }

    /// - Throws: ``CodingError``, which says which part of the value has no form in a tree.
    public func encode(_ value: some Encodable) throws(CodingError) -> Tree {
        do {
            let part = try TreeWriter(TreeSlot(), CodingPath(), TreeWriter.Options(self)).part(value)
            var builder = Tree.Builder()
            part.write(to: &builder)
            return builder.finish()
        } catch {
            throw CodingError(error, type: "\(type(of: value))")
        }
    }
}

/// How names of Swift properties are written as keys of objects.
public enum KeyStyle: Sendable {
    /// Unchanged.
    case asWritten
    /// `createdAt` is `created_at` and `htmlURL` is `html_url`. When reading, a key that matches as it is
    /// written comes first.
    case snakeCase

    /// A word begins at a capital behind a small letter or digit, and at the last of several capitals when a
    /// small letter follows it.
    static func snakeCased(_ name: String) -> String {
        let scalars = Array(name.unicodeScalars)
        var text = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            guard scalar.properties.isUppercase else {
                text.append(scalar)
                continue
            }
            if index > 0, scalars[index - 1] != "_" {
                let isBehindSmall = !scalars[index - 1].properties.isUppercase
                let isBeforeSmall = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
                if isBehindSmall || isBeforeSmall { text.append("_") }
            }
            text.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
        return String(text)
    }
}
