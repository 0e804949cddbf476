public import RestEngine

/// Path text below an endpoint, written as a literal: `"users/\(login)/repos"`. Its slashes part segments,
/// and what is interpolated is a value: it is escaped, so that `a/b` becomes `a%2Fb`, and one that is empty,
/// or that would lead to another path, is an error (rules 37).
///
/// Path text that isn't a literal is `Path(text)`. A `?` in a literal is an error, because the query is
/// written with ``Query``; in other text it is escaped.
public struct Path: RequestProperty, ExpressibleByStringInterpolation {
    /// With a name in braces for each value.
    private let template: String
    private let values: [String: PathComponent]
    private let failure: DefinitionError?

    /// Path text that is known when the program runs: its slashes part segments.
    public init(_ text: String) { self.init(text, values: [:], failure: nil) }

    public init(stringLiteral text: String) {
        self.init(text, values: [:], failure: Self.query(in: text))
    }

    public init(stringInterpolation text: StringInterpolation) {
        self.init(text.template, values: text.values, failure: text.failure)
    }

    /// The error of a literal with a query, which a path would escape.
    private static func query(in literal: String) -> DefinitionError? {
        guard let mark = literal.firstIndex(of: "?") else { return nil }
        let name = literal[mark...].dropFirst().prefix { $0 != "=" && $0 != "&" }
        return DefinitionError(
            .invalidURL,
            "a path has no query: instead of '\(literal)' write Query(\"\(name.isEmpty ? "name" : name)\", …) "
                + "in the block, or Path(text) if the '?' belongs to the path")
    }

    private init(_ template: String, values: [String: PathComponent], failure: DefinitionError?) {
        self.template = template
        self.values = values
        self.failure = failure
    }

    /// The path, escaped.
    package func component() throws(DefinitionError) -> PathComponent {
        if let failure { throw failure }
        // Braces in text without values are braces.
        return values.isEmpty ? try .path(template) : try PathTemplate(template).filled(values)
    }

    /// With a name in braces for each value.
    package var description: String { template }

    public func add(to properties: inout CallProperties) {
        properties.attempt { properties throws(DefinitionError) in properties.add([try component()]) }
    }

    /// Collects literals and values.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var template = ""
        fileprivate var values: [String: PathComponent] = [:]
        fileprivate var failure: DefinitionError?

        public init(literalCapacity: Int, interpolationCount: Int) {
            template.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        public mutating func appendLiteral(_ literal: String) {
            failure = failure ?? Path.query(in: literal)
            template += literal
        }

        /// A value, escaped.
        public mutating func appendInterpolation(_ value: some PathConvertible) {
            do throws(DefinitionError) {
                let name = "value\(values.count + 1)"
                values[name] = try value.pathComponent()
                template += "{\(name)}"
            } catch {
                failure = failure ?? error
            }
        }
    }
}

/// A value that may be a component of a path: text, whole numbers, `EscapedText`, and enums with such raw
/// values that say so.
public protocol PathConvertible: Sendable {
    /// Throws for dot segments, and for a value that a path can't hold.
    func pathComponent() throws(DefinitionError) -> PathComponent
}

extension PathComponent: PathConvertible {
    public func pathComponent() -> PathComponent { self }
}

extension String: PathConvertible {
    public func pathComponent() throws(DefinitionError) -> PathComponent { try PathComponent(self) }
}

extension Substring: PathConvertible {
    public func pathComponent() throws(DefinitionError) -> PathComponent { try PathComponent(String(self)) }
}

extension Bool: PathConvertible {
    public func pathComponent() -> PathComponent { PathComponent(self) }
}

extension Double: PathConvertible {
    public func pathComponent() throws(DefinitionError) -> PathComponent { try PathComponent(self) }
}

extension PathConvertible where Self: BinaryInteger {
    public func pathComponent() -> PathComponent { PathComponent(self) }
}

extension Int: PathConvertible {}
extension Int32: PathConvertible {}
extension Int64: PathConvertible {}
extension UInt: PathConvertible {}
extension UInt32: PathConvertible {}
extension UInt64: PathConvertible {}

extension PathConvertible where Self: RawRepresentable, RawValue: PathConvertible {
    public func pathComponent() throws(DefinitionError) -> PathComponent { try rawValue.pathComponent() }
}

extension EscapedText: PathConvertible {
    public func pathComponent() throws(DefinitionError) -> PathComponent { try .raw(self) }
}

/// Several components of the path, each one segment; empty ones are left out:
///
///     PathComponents {
///         "octocat"
///         "repos"
///     }
public struct PathComponents: RequestProperty {
    let components: [any PathConvertible]

    /// Components from a block.
    public init(@PathComponentsBuilder _ block: () -> [any PathConvertible]) { components = block() }

    public func add(to properties: inout CallProperties) {
        properties.add([] as [PathComponent])
        for component in components {
            properties.attempt { properties throws(DefinitionError) in
                properties.add([try component.pathComponent()])
            }
        }
    }
}

/// Makes ``PathComponents`` of values and lists of them.
@resultBuilder
public enum PathComponentsBuilder: BlockBuilder {
    /// One component.
    public static func buildExpression(_ component: some PathConvertible) -> [any PathConvertible] {
        [component]
    }

    /// Nil says nothing.
    public static func buildExpression(_ component: (some PathConvertible)?) -> [any PathConvertible] {
        component.map { [$0] } ?? []
    }

    /// Several components.
    public static func buildExpression(_ components: [some PathConvertible]) -> [any PathConvertible] {
        components
    }

    /// Components that were made elsewhere.
    public static func buildExpression(_ components: PathComponents) -> [any PathConvertible] {
        components.components
    }

    public static func buildArray(_ parts: [[any PathConvertible]]) -> [any PathConvertible] {
        parts.flatMap { $0 }
    }
}
