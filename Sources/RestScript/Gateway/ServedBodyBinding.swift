import LuaRuntime
import RestEngine

/// The content of a part of a form as a Lua object.
final class ScriptServedBody: LuaObject {
    let reader: ServedBodyReader
    init(_ reader: ServedBodyReader) { self.reader = reader }

    var keptBytes: Int { 256 }
}

/// Reads bytes in pieces for a function: the body of a client's request, or the content of a part of it.
@EngineActor
final class ServedBodyReader {
    /// The bytes that one call returns.
    enum Wanted {
        /// Those that are there, up to some number.
        case some
        case count(Int)
        case all
    }

    /// Bytes that `read()` returns at most. See docs/reference/limits.md, L375 and L376.
    static let pieceBytes = 64 << 10
    /// Bytes that one call returns of a body that is not in memory.
    static let mostBytes = 16 << 20

    private let source: ServedBodySource
    private let next: @EngineActor () throws -> ServedBodySource.Step
    private var rest: ArraySlice<UInt8> = []
    private var isOver = false
    private var isReading = false

    /// - Parameter next: Gives the next bytes; those of the source by default.
    init(_ source: ServedBodySource, next: (@EngineActor () throws -> ServedBodySource.Step)? = nil) {
        self.source = source
        self.next = next ?? { try source.next() }
    }

    /// Bytes that were taken from the source and not yet read.
    var heldBytes: Int { rest.count }

    func read(_ call: Arguments) throws -> CallResult {
        let wanted = try wanted(call)
        guard !isReading else { throw LuaUsageError("another function is waiting in 'read' of this body") }
        if let bytes = try take(wanted) {
            Self.push(bytes, on: call.lua)
            return .one
        }
        guard call.lua.mayWait else { throw LuaUsageError("'read' may wait, which is not possible here") }
        isReading = true
        return .wait { [self] waiter in
            waiter.onCancel = onLoop { [self] in
                source.endWait()
                isReading = false
            }
            wait(wanted, waiter)
        }
    }

    private func wait(_ wanted: Wanted, _ waiter: LuaWaiter) {
        source.wait { [self] in
            do {
                guard let bytes = try take(wanted) else { return wait(wanted, waiter) }
                isReading = false
                waiter.resume { lua in
                    Self.push(bytes, on: lua)
                    return 1
                }
            } catch {
                isReading = false
                waiter.fail(error)
            }
        }
    }

    /// Takes what is left of bytes that are in memory, so that others can be read from the source.
    func takeAll() throws {
        while !isOver, try fill() {}
    }

    /// Leaves out what is left. False if it has to wait for that.
    func skip() throws -> Bool {
        while !isOver {
            guard try fill() else { return false }
            rest = []
        }
        return true
    }

    /// False if no bytes are there now.
    private func fill() throws -> Bool {
        switch try next() {
        case .bytes(let bytes): if rest.isEmpty { rest = bytes[...] } else { rest += bytes }
        case .nothing: return false
        case .end: isOver = true
        }
        return true
    }

    /// Nil if it has to wait; no bytes at the end.
    private func take(_ wanted: Wanted) throws -> ArraySlice<UInt8>? {
        let (least, most) =
            switch wanted {
            case .some: (1, Self.pieceBytes)
            case .count(let count): (count, count)
            case .all: (Int.max, Int.max)
            }
        while !isOver, rest.count < least {
            guard try fill() else { return nil }
            guard source.isHeld || rest.count <= Self.mostBytes + Self.pieceBytes else {
                throw RequestError.ofClient(
                    413, "body_too_large",
                    "one call of 'read' returns \(Self.mostBytes >> 20) MiB at most: read the body in pieces")
            }
        }
        defer { rest = rest.dropFirst(most) }
        return rest.prefix(most)
    }

    private func wanted(_ call: Arguments) throws -> Wanted {
        if call.isAbsent(1) { return .some }
        if call.type(1) == .string {
            guard try call.string(1, "count") == "a" else {
                throw call.bad(1, "count", "it is a number of bytes, or \"a\" for all")
            }
            return .all
        }
        let count = Int(clamping: try call.integer(1, "count"))
        guard 1...Self.mostBytes ~= count else {
            throw call.bad(1, "count", "it is from 1 to \(Self.mostBytes)")
        }
        return .count(count)
    }

    private static func push(_ bytes: ArraySlice<UInt8>, on lua: Lua) {
        bytes.isEmpty ? lua.pushNil() : lua.push(bytes: Array(bytes))
    }
}

/// `request:read()` and the Lua class of a part's body.
struct ServedBodyBinding: ScriptBinding {
    unowned let context: ScriptContext

    static let signature = "(count?: integer | \"a\") -> string | nil"
    private static let documentation = """
        The next bytes that are there, 64 KiB at most; with a number that many bytes, fewer only at the end; with \
        "a" all that are left. Nil at the end. It waits while no bytes are there.
        """

    var bindings: BindingSet {
        BindingSet(classes: [
            show(ScriptServedBody.self) {
                LuaClass(
                    "served_body", documentation: "The content of a part of a form.",
                    methods: [
                        method("read", Self.signature, Self.documentation) { call in
                            try call.receiver(as: ScriptServedBody.self).reader.read(call)
                        }
                    ])
            }
        ])
    }

    var readMethod: LuaMethod {
        method("read", Self.signature, "Of the body: " + Self.documentation) { call in
            try call.receiver(as: ScriptServedRequest.self).bodyReader(context.engine.scheduler).read(call)
        }
    }
}
