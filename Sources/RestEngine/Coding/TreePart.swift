/// What has been encoded of a value. Containers may be filled in any order, so the tree is written at the end.
enum TreePart {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case tree(Tree)
    case array(TreeList)
    case object(TreeRecord)
    /// Of an encoder that was handed out and may still be written to.
    case slot(TreeSlot)

    func write(to builder: inout Tree.Builder) {
        switch self {
        case .null: builder.null()
        case .bool(let bool): builder.bool(bool)
        case .integer(let integer): builder.int(integer)
        case .double(let double): builder.double(double)
        case .string(let string): builder.string(string)
        case .tree(let tree): builder.tree(tree)
        case .slot(let slot): slot.finished.write(to: &builder)
        case .array(let list):
            builder.array { builder in
                for part in list.parts { part.write(to: &builder) }
            }
        case .object(let record):
            builder.object { builder in
                for (name, part) in record.fields {
                    builder.key(name)
                    part.write(to: &builder)
                }
            }
        }
    }
}

/// The place that an encoder fills.
final class TreeSlot {
    var part: TreePart?

    /// A type that encodes nothing is an object without fields.
    var finished: TreePart { part ?? .object(TreeRecord()) }
}

/// The elements of an array while it is encoded.
final class TreeList {
    var parts: [TreePart] = []
}

/// The fields of an object while it is encoded, in the order in which they came. One that comes again replaces the
/// first.
final class TreeRecord {
    private(set) var fields: [(name: String, part: TreePart)] = []
    /// Only for many: comparing a few is faster than hashing one.
    private var places: [String: Int] = [:]

    func set(_ name: String, _ part: TreePart) {
        if let place = place(of: name) {
            fields[place].part = part
            return
        }
        if fields.count == 16 {
            for (place, field) in fields.enumerated() { places[field.name] = place }
        }
        if fields.count >= 16 { places[name] = fields.count }
        fields.append((name, part))
    }

    subscript(name: String) -> TreePart? { place(of: name).map { fields[$0].part } }

    private func place(of name: String) -> Int? {
        fields.count > 16 ? places[name] : fields.firstIndex { $0.name == name }
    }
}
