/// A Swift type whose values a tree holds itself, for encoding.
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
    /// The shortest decimal that means this float: 0.1 stays 0.1.
    func part() -> TreePart { .double(Double(description) ?? Double(self)) }
}

extension WritableScalar where Self: FixedWidthInteger {
    func part() throws(ScalarMismatch) -> TreePart {
        guard let integer = Int64(exactly: self) else {
            throw ScalarMismatch("\(self) does not fit into 64 bits with a sign")
        }
        return .integer(integer)
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
