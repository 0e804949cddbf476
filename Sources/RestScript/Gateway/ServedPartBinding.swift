import LuaRuntime
import RestEngine

/// A part of a client's form as a Lua object.
final class ScriptServedPart: LuaObject {
    fileprivate let part: MultipartReader.Part
    fileprivate let body: ScriptServedBody

    let keptBytes: Int

    @EngineActor
    fileprivate init(_ part: MultipartReader.Part, _ body: ServedBodyReader) {
        (self.part, self.body) = (part, ScriptServedBody(body))
        keptBytes = 512 + body.heldBytes
    }
}

/// The parts of a client's form, for a `for` loop.
@EngineActor
private final class ServedParts {
    private enum Found {
        case part(ScriptServedPart)
        case end
    }

    private let values: ScriptValues
    private let source: ServedBodySource
    private var reader: MultipartReader
    /// The content of the part that was found last.
    private var current: ServedBodyReader?

    init(_ source: ServedBodySource, _ reader: MultipartReader, _ values: ScriptValues) {
        (self.source, self.reader, self.values) = (source, reader, values)
    }

    /// Leaves out what was not read of the current part. The result is nil at the end.
    func next(_ call: Arguments) throws -> CallResult {
        if let found = try find() {
            push(found, on: call.lua)
            return .one
        }
        guard call.lua.mayWait else { throw LuaUsageError("'parts' may wait, which is not possible here") }
        return .wait { [self] waiter in
            waiter.onCancel = onLoop { [source] in source.endWait() }
            wait(waiter)
        }
    }

    private func wait(_ waiter: LuaWaiter) {
        source.wait { [self] in
            do {
                guard let found = try find() else { return wait(waiter) }
                waiter.resume(
                    onLoop { [self] (lua: Lua) in
                        push(found, on: lua)
                        return 1
                    })
            } catch { waiter.fail(error) }
        }
    }

    private func push(_ found: Found, on lua: Lua) {
        switch found {
        case .part(let part): values.push(part, on: lua)
        case .end: lua.pushNil()
        }
    }

    /// Nil if it has to wait.
    private func find() throws -> Found? {
        if let current, try !current.skip() { return nil }
        current = nil
        while true {
            switch try step() {
            case .part(let part):
                let body = ServedBodyReader(source) { [self] in try content() }
                // Parts of a body in memory can be read in any order.
                if source.isHeld { try body.takeAll() } else { current = body }
                return .part(ScriptServedPart(part, body))
            case .end: return .end
            case .nothing: return nil
            // The rest of a part that a function reads while another one looks for the next.
            case .content, .endOfPart: break
            }
        }
    }

    private func content() throws -> ServedBodySource.Step {
        switch try step() {
        case .content(let bytes): .bytes(Array(bytes))
        case .nothing: .nothing
        case .endOfPart, .part, .end: .end
        }
    }

    /// The reader's next step, with the bytes that are there.
    private func step() throws -> MultipartReader.Step {
        do {
            while true {
                let step = try reader.next()
                guard step == .nothing else { return step }
                switch try source.next() {
                case .bytes(let bytes): reader.add(bytes)
                case .end: reader.finish()
                case .nothing: return .nothing
                }
            }
        } catch let fault as MultipartReader.Fault {
            throw RequestError.ofClient(
                400, "bad_form", "the body is no multipart/form-data: \(fault.message)")
        }
    }
}

/// `request:parts()` and the Lua class of parts.
struct ServedPartBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(classes: [show(ScriptServedPart.self, as: makePartClass)])
    }

    var partsMethod: LuaMethod {
        method(
            "parts", "() -> function() -> served_part?",
            """
            An iterator over the parts of a `multipart/form-data` body: `for part in request:parts() do`. A part has \
            `name`, `filename`, `content_type`, `headers` and `body`. 1,000 parts at most. Of a body that is read as it \
            arrives, the content of a part can be read until the next part.
            """
        ) { call in
            let request = try call.receiver(as: ScriptServedRequest.self)
            guard let type = request.request.headers["Content-Type"],
                let boundary = MediaType.formBoundary(of: type)
            else {
                throw RequestError.ofClient(
                    415, "bad_form",
                    "the body is no multipart/form-data: its Content-Type is \(request.request.headers["Content-Type"] ?? "missing")"
                )
            }
            let reader: MultipartReader
            do throws(MultipartReader.Fault) { reader = try MultipartReader(boundary: boundary) } catch {
                throw RequestError.ofClient(
                    400, "bad_form", "the body is no multipart/form-data: \(error.message)")
            }
            let parts = ServedParts(try request.takeSource(context.engine.scheduler), reader, values)
            call.lua.push(
                function: hostFunction { call in try parts.next(call) }, name: "request:parts()",
                keeping: 512 + request.request.body.bytesInMemory.count)
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
}
