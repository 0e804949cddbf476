/// A value with a content: an entity, a resource with its latest data, an error with its body (rule 27.1).
///
/// Extend it to give all three an accessor of your own (27.4):
///
///     extension ContentHolder {
///         var user: User? { typedContent() }
///     }
public protocol ContentHolder {
    /// The entity with the content; nil when there is none.
    var contentEntity: Entity? { get }
}

extension ContentHolder {
    /// The content if it is text, otherwise an empty string.
    public var text: String { contentEntity?.content.text ?? "" }

    /// The content if it is a tree that is an array or object, otherwise an empty object.
    public var json: Tree {
        guard let tree = contentEntity?.content.tree, tree.kind == .object || tree.kind == .array else {
            return [:]
        }
        return tree
    }

    /// The content if it is a `Value`; nil if it is something else or there is none (27.3). See
    /// ``Content/cast(to:)``.
    public func typedContent<Value>(_ type: Value.Type = Value.self) -> Value? {
        contentEntity?.content.cast(to: type)
    }

    /// The content if it is a `Value`, otherwise `fallback`, which is evaluated only if needed (27.2).
    public func typedContent<Value>(ifNone fallback: @autoclosure () throws -> Value) rethrows -> Value {
        try typedContent() ?? fallback()
    }
}

extension Entity: ContentHolder {
    public var contentEntity: Entity? { self }
}

extension RequestError: ContentHolder {
    public var contentEntity: Entity? { entity }
}

/// For code on the engine's actor; other code awaits the properties below, or uses ``snapshot``.
extension Resource: @EngineActor ContentHolder {
    public var contentEntity: Entity? { latestData }
}

/// The same as members of the class: code on other actors can't use the conformance, and awaits these.
extension Resource {
    /// See ``ContentHolder/text``.
    public var text: String { latestData?.text ?? "" }

    /// See ``ContentHolder/json``.
    public var json: Tree { latestData?.json ?? [:] }

    /// See ``ContentHolder/typedContent(_:)``.
    public func typedContent<Value>(_ type: Value.Type = Value.self) -> Value? {
        latestData?.typedContent()
    }
}
