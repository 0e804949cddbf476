/// A Swift type whose values a tree can hold directly.
protocol TreeScalar {
    static func read(_ tree: Tree) throws(ScalarMismatch) -> Self
}

/// The reason, in one sentence, why a tree is no value of a ``TreeScalar``.
struct ScalarMismatch: Error {
    let message: String

    init(_ message: String) { self.message = message }

    init(expected: String, _ tree: Tree) { message = "expected \(expected), got \(tree.kindName)" }
}

extension Tree {
    /// The kind of the tree, for people.
    var kindName: String {
        switch kind {
        case .integer, .double: "number"
        case .string where string == nil: "string that is no UTF-8"
        default: "\(kind)"
        }
    }
}

extension Tree: TreeScalar {
    static func read(_ tree: Tree) -> Tree { tree }
}

extension String: TreeScalar {
    static func read(_ tree: Tree) throws(ScalarMismatch) -> String {
        guard let string = tree.string else { throw ScalarMismatch(expected: "string", tree) }
        return string
    }
}

extension Bool: TreeScalar {
    static func read(_ tree: Tree) throws(ScalarMismatch) -> Bool {
        guard let bool = tree.bool else { throw ScalarMismatch(expected: "boolean", tree) }
        return bool
    }
}

extension Double: TreeScalar {
    static func read(_ tree: Tree) throws(ScalarMismatch) -> Double {
        guard let double = tree.double else { throw ScalarMismatch(expected: "number", tree) }
        return double
    }
}

extension Float: TreeScalar {
    static func read(_ tree: Tree) throws(ScalarMismatch) -> Float {
        let double = try Double.read(tree)
        let float = Float(double)
        guard float.isFinite || !double.isFinite else {
            throw ScalarMismatch("\(double) does not fit into Float")
        }
        return float
    }
}

extension TreeScalar where Self: FixedWidthInteger {
    /// A double is accepted if it is whole, and so small that no other integer would have become the same
    /// double.
    static func read(_ tree: Tree) throws(ScalarMismatch) -> Self {
        if let int = tree.int {
            guard let value = Self(exactly: int) else {
                throw ScalarMismatch("\(int) does not fit into \(Self.self)")
            }
            return value
        }
        if let digits = tree.digits {
            if let value = Self(digits) ?? DecimalDigits(digits)?.integer() { return value }
            let isFraction = (DecimalDigits(digits)?.exponent ?? 0) < 0
            throw ScalarMismatch(
                isFraction
                    ? "expected integer, got \(digits)" : "\(digits) does not fit into \(Self.self)")
        }
        guard let double = tree.double else { throw ScalarMismatch(expected: "integer", tree) }
        guard double.magnitude <= 0x1p53 else {
            throw ScalarMismatch("\(double) is not exact enough for \(Self.self)")
        }
        guard double == double.rounded(.towardZero) else {
            throw ScalarMismatch("expected integer, got \(double)")
        }
        guard let value = Self(exactly: double) else {
            throw ScalarMismatch("\(Int64(double)) does not fit into \(Self.self)")
        }
        return value
    }
}

extension Int: TreeScalar {}
extension Int8: TreeScalar {}
extension Int16: TreeScalar {}
extension Int32: TreeScalar {}
extension Int64: TreeScalar {}
extension UInt: TreeScalar {}
extension UInt8: TreeScalar {}
extension UInt16: TreeScalar {}
extension UInt32: TreeScalar {}
extension UInt64: TreeScalar {}
extension Int128: TreeScalar {}
extension UInt128: TreeScalar {}

/// A Swift type whose values a tree can hold directly, for encoding.
protocol WritableScalar {
    func part() throws(ScalarMismatch) -> TreePart
}

extension Tree: WritableScalar {
    func part() -> TreePart { .tree(self) }
}

extension String: WritableScalar {
    func part() -> TreePart { .string(self) }
}

extension Bool: WritableScalar {
    func part() -> TreePart { .bool(self) }
}

extension Double: WritableScalar {
    func part() -> TreePart { .double(self) }
}

extension Float: WritableScalar {
    /// The shortest decimal with the value of this float: 0.1 stays 0.1.
    func part() -> TreePart { .double(Double(description) ?? Double(self)) }
}

extension WritableScalar where Self: FixedWidthInteger {
    func part() -> TreePart {
        Int64(exactly: self).map(TreePart.integer) ?? .digits("\(self)")
    }
}

extension Int: WritableScalar {}
extension Int8: WritableScalar {}
extension Int16: WritableScalar {}
extension Int32: WritableScalar {}
extension Int64: WritableScalar {}
extension UInt: WritableScalar {}
extension UInt8: WritableScalar {}
extension UInt16: WritableScalar {}
extension UInt32: WritableScalar {}
extension UInt64: WritableScalar {}
extension Int128: WritableScalar {}
extension UInt128: WritableScalar {}
