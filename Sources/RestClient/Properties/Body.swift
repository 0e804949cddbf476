public import RestEngine

/// The body of a request. It is encoded when it is made, so that later changes of its source change nothing;
/// what can't be encoded fails the request, and nothing is sent (rules 38).
///
/// The last body wins over inherited ones; two in one block are an error.
public struct Body: RequestProperty {
    enum Form: Sendable {
        case none
        case one(DefinedBody)
        case several
    }

    fileprivate let form: Form

    init(_ form: Form) { self.form = form }

    init(_ body: RequestBody, _ type: ContentType?) {
        self.init(.one(DefinedBody(body, contentType: type?.rawValue)))
    }

    /// A value as JSON, which must make an object or an array (rule 6.5).
    public init(
        _ value: some Encodable, encoder: TreeEncoder = TreeEncoder(), type: ContentType? = nil
    ) {
        do throws(CodingError) {
            self.init(try RequestBody.json(encoding: value, encoder: encoder), type)
        } catch {
            let cause = RequestError.Cause.invalidJSONObject(message: error.description)
            self.init(.one(DefinedBody(.json, failure: cause, contentType: type?.rawValue)))
        }
    }

    /// Bytes of another type, such as `Data`.
    public init<Bytes: Collection & Encodable>(_ bytes: Bytes, type: ContentType? = nil)
    where Bytes.Element == UInt8 {
        self.init(.bytes(Array(bytes)), type)
    }

    /// The same for bytes that aren't `Encodable`, such as a slice.
    public init<Bytes: Collection>(_ bytes: Bytes, type: ContentType? = nil) where Bytes.Element == UInt8 {
        self.init(.bytes(Array(bytes)), type)
    }

    /// Bytes as they are; `application/octet-stream` unless `type` says what they are.
    public init(_ bytes: [UInt8], type: ContentType? = nil) { self.init(.bytes(bytes), type) }

    /// Text in a charset, by its IANA name; `text/plain` unless `type` says more.
    public init(_ text: String, charset: String = "utf-8", type: ContentType? = nil) {
        self.init(.text(text, charset: charset), type)
    }

    /// Fields of a form, in their order; a name may come again.
    public init(form fields: [(String, String)]) { self.init(.form(fields, isOrdered: true), nil) }

    /// Parts, of which files are read while they are sent.
    public init(multipart parts: [MultipartPart], type: ContentType? = nil) {
        self.init(.multipart(parts), type)
    }

    /// The bytes of a file, which is read while it is sent; `application/octet-stream` unless `type` says
    /// what they are.
    public init(file path: String, type: ContentType? = nil) { self.init(.file(path: path), type) }

    /// The statement of the block; none takes an inherited body away:
    ///
    ///     Body { User(name: "Mona") }
    ///
    /// A string is text, bytes such as `Data` are bytes, a dictionary with values of several types is a
    /// `Tree`, and everything else that is `Encodable` is JSON.
    public init(@BodyBuilder _ block: () -> Body) { self = block() }

    public func add(to properties: inout CallProperties) {
        switch form {
        case .none: properties.set(.remove)
        case .one(let body): properties.set(.replace(body))
        case .several: properties.fail(.severalBodies)
        }
    }
}

/// Makes a ``Body`` of one value.
@resultBuilder
public enum BodyBuilder: BlockBuilder {
    /// A value, written as JSON.
    public static func buildExpression(_ value: some Encodable) -> Body { Body(value) }

    /// A dictionary literal whose values are of several types.
    public static func buildExpression(_ tree: Tree) -> Body { Body(tree) }

    /// Text, in UTF-8.
    public static func buildExpression(_ text: String) -> Body { Body(text) }

    /// Bytes as they are.
    public static func buildExpression(_ bytes: [UInt8]) -> Body { Body(bytes) }

    /// Bytes of another type, such as `Data`.
    public static func buildExpression<Bytes: Collection & Encodable>(_ bytes: Bytes) -> Body
    where Bytes.Element == UInt8 {
        Body(bytes)
    }

    /// The same for bytes that aren't `Encodable`, such as a slice.
    public static func buildExpression<Bytes: Collection>(_ bytes: Bytes) -> Body
    where Bytes.Element == UInt8 {
        Body(bytes)
    }

    /// Not to be called; says what a body is.
    @available(*, unavailable, message: "a body is an Encodable value, a String, bytes or a Body")
    @_disfavoredOverload
    public static func buildExpression<Value>(_ value: Value) -> Body { fatalError() }

    /// A body that was made elsewhere.
    public static func buildExpression(_ body: Body) -> Body { body }

    public static func buildArray(_ parts: [Body]) -> Body {
        let given = parts.filter { if case .none = $0.form { false } else { true } }
        return given.count > 1 ? Body(.several) : given.first ?? Body(.none)
    }
}
