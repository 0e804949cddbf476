import LuaRuntime
import Platform
import RestEngine

/// The options of `rest.stream_response`.
struct StreamResponse {
    var status = 200
    var headers = Headers()
    var contentType: String?
    var cacheControl: String?

    static let schema = ScriptSchema<StreamResponse>([
        .count(
            "status", from: 200, to: 599, saying: "is a number from 200 to 599", default: "200",
            "The status of the answer."
        ) { $0.status = $1 },
        .init("headers", type: "headers", "The headers of the answer.") { options, response, _ in
            guard let place = try options.table("headers") else { return }
            defer { options.lua.pop() }
            response.headers = try options.lua.sendableHeaders(place)
        },
        .text(
            "content_type", default: "\"text/plain; charset=utf-8\"",
            "The type of the body; `text/event-stream` for a stream of events, which gets heartbeats."
        ) { $0.contentType = $1 },
        .text("cache_control", .name, "Cache-Control of the answer, `no-store` by default.") {
            $0.cacheControl = $1
        },
    ])
}

/// The result of `rest.stream_response`.
final class ScriptStreamResponse: LuaObject {
    let stream: ServedStream
    let keptBytes: Int

    @EngineActor
    init(_ context: ScriptContext, _ function: LuaReference, status: Int, _ headers: Headers) {
        keptBytes = 128 + headers.heldBytes
        let isOfEvents = headers["Content-Type"].map { MediaType($0).essence } == "text/event-stream"
        stream = ServedStream(status: status, headers: headers) { [weak context] pipe in
            ScriptBodyWriter(pipe, isOfEvents: isOfEvents).begin(function, context)
        }
    }
}

/// Lets a function of a script write the body of an answer. The function holds it through `write`.
@EngineActor
final class ScriptBodyWriter {
    private let pipe: BodyPipe
    private let isOfEvents: Bool
    private var hook: ScriptHook?
    /// Waits for room in the pipe.
    private var waiter: LuaWaiter?

    init(_ pipe: BodyPipe, isOfEvents: Bool) {
        self.pipe = pipe
        self.isOfEvents = isOfEvents
    }

    func begin(_ function: LuaReference, _ context: ScriptContext?) {
        guard let context, !context.values.isClosed else { return pipe.fail(.endedScript) }
        pipe.onRoom { [weak self] in EngineLoop.shared.submit { self?.goOn() } }
        let begun = context.runner.run(
            function, phase: context.phases.job,
            arguments: { lua in
                lua.push(
                    function: hostFunction { [self] call in try write(call) }, name: "write", keeping: 256)
                return 1
            },
            completion: { [self, weak context] _, result in
                hook = nil
                switch result {
                case .success: pipe.finish()
                case .failure(let error):
                    if error.kind == .cancelled { return pipe.fail(.endedScript) }
                    context?.runner.report(error, in: "a stream_response")
                    pipe.fail(TransportError(.internal, phase: .receive, message: "the script failed"))
                }
            })
        if begun.coroutine?.isFinished == false { hook = begun }
    }

    private func write(_ call: Arguments) throws -> CallResult {
        let bytes: [UInt8]
        if call.type(1) == .table {
            guard isOfEvents else {
                throw LuaUsageError(
                    "'write' takes text here: an event, as a table, needs content_type = \"text/event-stream\""
                )
            }
            bytes = try EventFields(call.options(1)).bytes
        } else {
            bytes = try call.bytes(1, "text")
        }
        guard !pipe.isClosed else { return .none }
        guard !pipe.write(bytes) else { return .none }
        guard call.lua.mayWait else { throw LuaUsageError("'write' may wait, which is not possible here") }
        guard waiter == nil else {
            throw LuaUsageError("another function is waiting in 'write' of this answer")
        }
        return .wait { [self] waiter in self.waiter = waiter }
    }

    /// The client takes more, or has left.
    private func goOn() {
        let waiter = waiter
        self.waiter = nil
        if pipe.isClosed, let hook {
            self.hook = nil
            return hook.cancel()
        }
        waiter?.resume { _ in 0 }
    }
}

extension TransportError {
    fileprivate static var endedScript: TransportError {
        TransportError(.internal, phase: .receive, message: "the script has ended")
    }
}

/// One event of a stream (HTML Standard 9.2).
private struct EventFields {
    var event: String?
    var id: String?
    var data: [UInt8] = []
    var retry: Int?

    static let schema = ScriptSchema<EventFields>([
        .text("event", "The name of the event; `message` by default.") { $0.event = $1 },
        .text("id", "The id, which a client sends as Last-Event-ID when it comes back.") { $0.id = $1 },
        .rawBytes("data", "The text of the event.") { $0.data = $1 },
        .count("retry", from: 0, to: 86_400_000, default: "", "Milliseconds before a client comes back.") {
            $0.retry = $1
        },
    ])

    init(_ options: OptionTable) throws {
        try options.read(Self.schema, into: &self)
        for (name, value) in [("event", event), ("id", id)] {
            guard let value,
                value.utf8.contains(where: { $0 == .newline || $0 == .carriageReturn || $0 == 0 })
            else { continue }
            throw LuaUsageError("'\(name)' of an event is one line")
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        func add(_ name: String, _ value: some Sequence<UInt8>) {
            bytes += Array("\(name): ".utf8)
            bytes += value
            bytes.append(.newline)
        }
        if let event { add("event", event.utf8) }
        if let id { add("id", id.utf8) }
        if let retry { add("retry", "\(retry)".utf8) }
        // Carriage returns end lines, too.
        let text = String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n").replacing(
            "\r", with: "\n")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { add("data", line.utf8) }
        bytes.append(.newline)
        return bytes
    }
}
