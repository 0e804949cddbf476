/// A property of type ``Tree`` accepts any content. ``TreeDecoder`` and ``TreeEncoder`` pass it on unchanged;
/// with another coder, that coder decides the order of keys.
extension Tree: Codable {
    public init(from decoder: any Decoder) throws {
        if let reader = decoder as? TreeReader {
            self = reader.tree
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self.init(bool)
        } else if let int = try? container.decode(Int64.self) {
            self.init(int)
        } else if let double = try? container.decode(Double.self) {
            self.init(double)
        } else if let string = try? container.decode(String.self) {
            self.init(string)
        } else if let elements = try? container.decode([Tree].self) {
            self.init(elements)
        } else {
            self.init(pairs: try container.decode([String: Tree].self).map { ($0.key, $0.value) })
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if let writer = encoder as? TreeWriter {
            writer.slot.part = .tree(self)
            return
        }
        switch kind {
        case .array:
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object:
            var container = encoder.container(keyedBy: TreeKey.self)
            for (key, value) in pairs { try container.encode(value, forKey: TreeKey(stringValue: key)) }
        default:
            var container = encoder.singleValueContainer()
            if isNull {
                try container.encodeNil()
            } else if let bool {
                try container.encode(bool)
            } else if let int {
                try container.encode(int)
            } else if let double {
                try container.encode(double)
            } else if let string {
                try container.encode(string)
            } else {
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: "a \(kindName) has no form outside Lua")
                throw EncodingError.invalidValue(self, context)
            }
        }
    }
}
