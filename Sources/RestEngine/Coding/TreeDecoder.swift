/// Makes Swift values of trees, with no JSON text in between.
///
/// Numbers are exact: an integer that does not fit, or a fraction where an integer is wanted, is an error. In a program
/// that links Foundation its `Date` reads a number as Unix seconds and a string as RFC 3339, and its `URL` a string.
public struct TreeDecoder: Sendable {
    /// How names of properties are looked up.
    public var keys = KeyStyle.asWritten
    /// Containers inside each other; deeper content is an error, because decoding uses the thread's stack:
    /// 128 levels need up to 400 kB of it.
    public var maxDepth = 128
    /// For types whose `init(from:)` asks for it.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// A decoder with the usual limits.
    public init(keys: KeyStyle = .asWritten) { self.keys = keys }

    /// - Throws: ``CodingFailure``, which says where the tree is not what `type` wants.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from tree: Tree
    ) throws(CodingFailure) -> Value {
        do {
            return try TreeReader(tree: tree, path: CodingPath(), options: TreeReader.Options(self)).value()
        } catch {
            throw CodingFailure(error, type: "\(type)")
        }
    }
}
