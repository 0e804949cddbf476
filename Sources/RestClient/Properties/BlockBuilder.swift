/// The statements of a block, in order: `if`, `switch`, `for` and `if #available` are as everywhere. The
/// result builders of this module share it.
public protocol BlockBuilder {
    /// The product of one or more statements.
    associatedtype Part

    /// Joins parts in order; none of them is the product of no statement.
    static func buildArray(_ parts: [Part]) -> Part
}

extension BlockBuilder {
    /// Several statements.
    public static func buildBlock(_ parts: Part...) -> Part { buildArray(parts) }

    /// An `if` without an `else`.
    public static func buildOptional(_ part: Part?) -> Part { part ?? buildArray([]) }

    /// The first branch of an `if` or a `switch`.
    public static func buildEither(first part: Part) -> Part { part }

    /// The other branch.
    public static func buildEither(second part: Part) -> Part { part }

    /// An `if #available`.
    public static func buildLimitedAvailability(_ part: Part) -> Part { part }
}
