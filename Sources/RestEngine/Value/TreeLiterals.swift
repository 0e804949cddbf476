extension Tree {
    /// The value null.
    public static let null: Tree = build { $0.null() }

    /// A boolean.
    public init(_ bool: Bool) { self = Tree.build { $0.bool(bool) } }

    /// An integer; it must fit into 64 bits, signed.
    public init(_ int: some BinaryInteger) { self = Tree.build { $0.int(Int64(int)) } }

    /// A number. NaN and infinities can't be written as JSON.
    public init(_ double: Double) { self = Tree.build { $0.double(double) } }

    /// A string.
    public init(_ string: some StringProtocol) { self = Tree.build { $0.string(string) } }

    /// A string of any bytes.
    public init(bytes: some Collection<UInt8>) { self = Tree.build { $0.string(utf8: bytes) } }

    /// An array.
    public init(_ elements: [Tree]) {
        self = Tree.build { builder in
            builder.array { builder in
                for element in elements { builder.tree(element) }
            }
        }
    }

    /// An object with its keys in the given order.
    public init(pairs: some Sequence<(String, Tree)>) {
        self = Tree.build { builder in
            builder.object { builder in
                for (key, value) in pairs {
                    builder.key(key)
                    builder.tree(value)
                }
            }
        }
    }

    private static func build(_ body: (inout Builder) -> Void) -> Tree {
        var builder = Builder()
        body(&builder)
        return builder.finish()
    }
}

extension Tree: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self.init(value) }
}

extension Tree: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self.init(value) }
}

extension Tree: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self.init(value) }
}

extension Tree: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

extension Tree: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Tree...) { self.init(elements) }
}

/// Keeps the order of the keys.
extension Tree: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Tree)...) { self.init(pairs: elements) }
}
