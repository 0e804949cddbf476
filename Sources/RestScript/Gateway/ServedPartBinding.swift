import LuaRuntime
import RestEngine

/// The parts of a client's form, for a `for` loop.
@EngineActor
private final class ServedParts {
    private var reader: MultipartReader
    init(_ reader: MultipartReader) { self.reader = reader }

    func next() throws -> MultipartReader.Part? {
        do throws(MultipartReader.Fault) { return try reader.next() } catch {
            throw LuaUsageError("the body is no multipart/form-data: \(error.message)")
        }
    }
}

/// A part of a client's form as a Lua object.
final class ScriptServedPart: LuaObject {
    fileprivate let part: MultipartReader.Part
    fileprivate let body: ScriptServedBody

    fileprivate init(_ part: MultipartReader.Part, of bytes: [UInt8]) {
        (self.part, body) = (part, ScriptServedBody(bytes[part.body]))
    }

    var keptBytes: Int { 512 + part.body.count }
}

/// The content of a part, which is read in pieces.
final class ScriptServedBody: LuaObject {
    fileprivate var rest: ArraySlice<UInt8>

    fileprivate init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var keptBytes: Int { 128 }
}

/// `request:parts()`, and the Lua classes of parts and their bodies.
struct ServedPartBinding: ScriptBinding {
    unowned let context: ScriptContext

    /// Bytes that `body:read()` returns at once.
    private static let pieceBytes = 64 << 10

    var bindings: BindingSet {
        BindingSet(classes: [
            show(ScriptServedPart.self, as: makePartClass),
            show(ScriptServedBody.self, as: makeBodyClass),
        ])
    }

    var partsMethod: LuaMethod {
        method(
            "parts", "() -> function() -> served_part?",
            """
            An iterator over the parts of a `multipart/form-data` body: `for part in request:parts() do`. A part has \
            `name`, `filename`, `content_type`, `headers` and `body`. 1,000 parts at most.
            """
        ) { call in
            let request = try call.receiver(as: ScriptServedRequest.self).request
            guard let type = request.headers["Content-Type"], let boundary = MediaType.formBoundary(of: type)
            else {
                throw LuaUsageError(
                    "the body is no multipart/form-data: its Content-Type is \(request.headers["Content-Type"] ?? "missing")"
                )
            }
            let reader: MultipartReader
            do throws(MultipartReader.Fault) {
                reader = try MultipartReader(request.body, boundary: boundary)
            } catch { throw LuaUsageError("the body is no multipart/form-data: \(error.message)") }
            let parts = ServedParts(reader)
            call.lua.push(
                function: hostFunction { call in
                    if let part = try parts.next() {
                        values.push(ScriptServedPart(part, of: request.body), on: call.lua)
                    } else {
                        call.lua.pushNil()
                    }
                    return .one
                }, name: "request:parts()", keeping: 512 + request.body.count)
            return .one
        }
    }

    private func makePartClass() -> LuaClass {
        func field(
            _ name: String, _ type: String, _ documentation: String,
            _ push: @escaping @EngineActor (ScriptServedPart, Lua) -> Void
        ) -> LuaProperty {
            readOnly(name, type, documentation, of: ScriptServedPart.self, push)
        }
        return LuaClass(
            "served_part", documentation: "A part of a client's form (`multipart/form-data`).",
            properties: [
                field("name", "string", "The field's name.") { $1.push($0.part.name) },
                field("filename", "string?", "The name of the file, without folders; nil for a plain field.")
                { $1.push(optional: $0.part.filename) },
                field("content_type", "string", "Its type; `text/plain` if the client names none.") {
                    $1.push($0.part.contentType)
                },
                field("headers", "headers", "The headers of the part, read only.") { part, lua in
                    values.push(ScriptHeaders(reading: Headers(part.part.headers)), on: lua)
                },
                field("body", "served_body", "Its content.") { values.push($0.body, on: $1) },
            ])
    }

    private func makeBodyClass() -> LuaClass {
        LuaClass(
            "served_body", documentation: "The content of a part of a form.",
            methods: [
                method(
                    "read", "(count?: integer | \"a\") -> string | nil",
                    "The next bytes, 64 KiB at most, or `count` of them; with \"a\" all that are left. Nil at the end."
                ) { call in
                    let body = try call.receiver(as: ScriptServedBody.self)
                    var count = Self.pieceBytes
                    if call.type(1) == .string {
                        guard try call.string(1, "count") == "a" else {
                            throw call.bad(1, "count", "it is a number of bytes, or \"a\" for all")
                        }
                        count = body.rest.count
                    } else if !call.isAbsent(1) {
                        count = Int(clamping: try call.integer(1, "count"))
                        guard count > 0 else { throw call.bad(1, "count", "it is 1 or more") }
                    }
                    guard !body.rest.isEmpty else {
                        call.lua.pushNil()
                        return .one
                    }
                    call.lua.push(bytes: Array(body.rest.prefix(count)))
                    body.rest = body.rest.dropFirst(count)
                    return .one
                }
            ])
    }
}
