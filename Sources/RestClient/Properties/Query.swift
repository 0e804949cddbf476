public import RestEngine

/// A parameter of the query. Parameters stay in their order, and a name may come again (rules 36).
public struct Query: RequestProperty {
    let name: String
    let value: Result<QueryValue, DefinitionError>

    /// The value is escaped. A list is written in the definition's `QueryStyle`.
    public init(_ name: String, _ value: some QueryValueConvertible) {
        self.name = name
        self.value = Result { () throws(DefinitionError) in try value.queryValue() }
    }

    /// The name alone, without `=`.
    public init(_ name: String) {
        self.name = name
        value = .success(.bare)
    }

    public func add(to properties: inout CallProperties) {
        properties.attempt { properties throws(DefinitionError) in
            properties.add([QueryItem(name, try value.get())])
        }
    }
}

/// A type that may be the value of a parameter: text, numbers, booleans, lists of them, `EscapedText`, and
/// enums with such raw values that say so.
public protocol QueryValueConvertible: Sendable {
    /// Throws for a value that a URL can't hold, such as infinity.
    func queryValue() throws(DefinitionError) -> QueryValue
}

extension QueryValue: QueryValueConvertible {
    public func queryValue() -> QueryValue { self }
}

extension String: QueryValueConvertible {
    public func queryValue() -> QueryValue { .text(self) }
}

extension Substring: QueryValueConvertible {
    public func queryValue() -> QueryValue { .text(String(self)) }
}

extension Bool: QueryValueConvertible {
    public func queryValue() -> QueryValue { .boolean(self) }
}

extension Double: QueryValueConvertible {
    public func queryValue() throws(DefinitionError) -> QueryValue { try .number(self) }
}

extension QueryValueConvertible where Self: BinaryInteger {
    public func queryValue() -> QueryValue { .integer(self) }
}

extension Int: QueryValueConvertible {}
extension Int32: QueryValueConvertible {}
extension Int64: QueryValueConvertible {}
extension UInt: QueryValueConvertible {}
extension UInt32: QueryValueConvertible {}
extension UInt64: QueryValueConvertible {}

extension QueryValueConvertible where Self: RawRepresentable, RawValue: QueryValueConvertible {
    public func queryValue() throws(DefinitionError) -> QueryValue { try rawValue.queryValue() }
}

extension EscapedText: QueryValueConvertible {
    public func queryValue() throws(DefinitionError) -> QueryValue { try .raw(self) }
}

extension Array: QueryValueConvertible where Element: QueryValueConvertible {
    public func queryValue() throws(DefinitionError) -> QueryValue {
        var values: [QueryValue] = []
        for element in self { values.append(try element.queryValue()) }
        return try .list(values)
    }
}

/// Several parameters of the query:
///
///     QueryItems {
///         ("name", "Mona")
///         ("page", 2)
///     }
public struct QueryItems: RequestProperty {
    let items: [Query]

    /// Parameters from a block.
    public init(@QueryItemsBuilder _ block: () -> [Query]) { items = block() }

    public func add(to properties: inout CallProperties) {
        properties.add([] as [QueryItem])
        for item in items { item.add(to: &properties) }
    }
}

/// Makes ``QueryItems`` of parameters and pairs; a pair with nil is the name alone.
@resultBuilder
public enum QueryItemsBuilder: BlockBuilder {
    /// Nil says nothing.
    public static func buildExpression(_ item: Query?) -> [Query] { item.map { [$0] } ?? [] }

    /// A name and its value.
    public static func buildExpression(_ pair: (String, some QueryValueConvertible)) -> [Query] {
        [Query(pair.0, pair.1)]
    }

    /// A name and its value; nil is the name alone.
    public static func buildExpression<Value: QueryValueConvertible>(_ pair: (String, Value?)) -> [Query] {
        [pair.1.map { Query(pair.0, $0) } ?? Query(pair.0)]
    }

    /// A literal nil.
    @_disfavoredOverload
    public static func buildExpression(_ pair: (String, String?)) -> [Query] {
        [pair.1.map { Query(pair.0, $0) } ?? Query(pair.0)]
    }

    /// Parameters that were made elsewhere.
    public static func buildExpression(_ items: QueryItems) -> [Query] { items.items }

    public static func buildArray(_ parts: [[Query]]) -> [Query] { parts.flatMap { $0 } }
}
