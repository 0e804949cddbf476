import LuaRuntime
import Platform
import RestEngine

/// The options of `host:request`.
private struct LocalRequestOptions {
    var headers = Headers()
    var body: [UInt8]?
    /// The index of the value on the stack.
    var json: Int32?
    var form: [(name: String, text: String)]?
    var wantsStream = false
    var clientName: String?
    var clientAddress: String?

    static let schema = ScriptSchema<LocalRequestOptions>([
        .init("headers", type: "headers", "The headers of the request.") { options, request, _ in
            guard let place = try options.table("headers") else { return }
            defer { options.lua.pop() }
            request.headers = try options.lua.sendableHeaders(place)
        },
        .init("body", type: "string", "The bytes of the body.") { options, request, _ in
            request.body = try options.bytes("body")
        },
        .place("json", type: "any", "A value that is sent as JSON.") { $0.json = $1 },
        .init("form", type: "table", "Fields that are sent as a form, by name.") { options, request, _ in
            request.form = try options.texts("form", example: "{ name = \"ada\" }")
        },
        .flag("stream", default: "false", "Asks for a stream of events: `Accept: text/event-stream`.") {
            $0.wantsStream = $1
        },
        .text("client", "The name of a client with a token or a certificate, which need not be shown.") {
            $0.clientName = $1
        },
        .text("address", default: "\"127.0.0.1\"", "The address of the client.") { $0.clientAddress = $1 },
    ])
}

/// The answer to `host:request` as a Lua object.
final class TestAnswer: LuaObject {
    let host: TestHost
    let answer: LocalAnswer
    /// The number of events that `next_event` has given.
    fileprivate var takenEvents = 0

    init(_ host: TestHost, _ answer: LocalAnswer) { (self.host, self.answer) = (host, answer) }

    var keptBytes: Int { 512 }
}

extension ScriptTestFile {
    var requestMethod: LuaMethod {
        method(
            "request", "(method: string, path: string, options?: { ... }) -> answer",
            "Sends a request to the script's gateway, through its access rules, hooks, routes and services, and waits for the "
                + "answer. It returns an answer that goes on, such as a stream of events, as soon as no work is due.",
            options: LocalRequestOptions.schema.descriptions
        ) { [unowned self] call in
            let host = try host(call)
            var given = LocalRequestOptions()
            try call.options(3).read(LocalRequestOptions.schema, into: &given)
            var request = LocalRequest(
                method: Method(try call.string(1, "method")).rawValue,
                target: try call.text(2, "path", .path),
                headers: given.headers, body: given.body ?? [])
            guard [given.body != nil, given.json != nil, given.form != nil].count(where: { $0 }) <= 1 else {
                throw LuaUsageError("a request has one of 'body', 'json' and 'form'")
            }
            if given.wantsStream, !request.headers.contains("Accept") {
                request.headers.set("Accept", "text/event-stream")
            }
            if let form = given.form {
                request.body = Array(FormEncoding.encode(form.map { (name: $0.name, value: $0.text) }).utf8)
                request.headers.set("Content-Type", "application/x-www-form-urlencoded")
            }
            if let json = given.json {
                request.body = try host.context.values.trees.tree(call.lua, json).json()
                if !request.headers.contains("Content-Type") {
                    request.headers.set("Content-Type", "application/json")
                }
            }
            (request.clientName, request.clientAddress) = (
                given.clientName, given.clientAddress ?? "127.0.0.1"
            )
            guard request.target.hasPrefix("/") else {
                throw call.bad(2, "path", "it begins with a slash: '/\(request.target)'")
            }
            guard run != nil else {
                throw LuaUsageError(
                    "a host only runs during a test: call this inside t.test or t.before_each")
            }
            return .wait { waiter in
                do { try host.send(request, waiter) } catch {
                    waiter.fail((error as? LuaUsageError) ?? LuaUsageError("\(error)"))
                }
            }
        }
    }

    /// Gives an answer to the call that waits for it.
    func show(_ answer: LocalAnswer, _ waiter: LuaWaiter, of host: TestHost) {
        waiter.resume(
            onLoop { [self] (lua: Lua) in
                lua.push(object: TestAnswer(host, answer), class: answerClass)
                return 1
            })
    }

    func makeAnswerClass() -> LuaClass {
        func field(
            _ name: String, _ type: String, _ documentation: String,
            _ push: @escaping @EngineActor (TestAnswer, Lua) throws -> Void
        ) -> LuaProperty {
            readOnly(name, type, documentation, of: TestAnswer.self, push)
        }
        return LuaClass(
            "answer",
            documentation: "The answer of the script's gateway to host:request, as far as it has come.",
            methods: [
                method(
                    "next_event", "() -> { event: string, data: string, id?: string } | nil",
                    "The next event of a stream. It moves the clock until the event comes, an hour at most; nil at the end."
                ) { [unowned self] call in
                    let answer = try call.receiver(as: TestAnswer.self)
                    try answer.host.requireOpen()
                    guard let run else { throw LuaUsageError("a host only runs during a test") }
                    return .wait { waiter in run.steps.append(EventStep(answer, waiter)) }
                },
                method("close", "()", "The client leaves.") { [unowned self] call in
                    let answer = try call.receiver(as: TestAnswer.self)
                    try answer.host.requireOpen()
                    guard let run else { throw LuaUsageError("a host only runs during a test") }
                    answer.answer.close()
                    return .wait { waiter in run.steps.append(ClockStep(answer.host, waiter)) }
                },
            ],
            properties: [
                field("status", "integer?", "The status; nil if the answer was broken off before its head.") {
                    guard let status = $0.answer.state.status else { return $1.pushNil() }
                    $1.push(status)
                },
                field("headers", "headers", "The headers, read only.") { answer, lua in
                    answer.host.context.values.push(
                        ScriptHeaders(reading: answer.answer.state.headers), on: lua)
                },
                field("body", "string", "The bytes of the body that have come.") {
                    $1.push(bytes: $0.answer.state.body)
                },
                field("json", "any", "The body if it is JSON, else nil.") { answer, lua in
                    let body = answer.answer.state.body
                    guard !body.isEmpty, let tree = try? Tree(json: body) else {
                        return lua.pushNil()
                    }
                    answer.host.context.values.trees.push(tree, on: lua)
                },
                field(
                    "events", "table[]",
                    "The events of a stream that have come, each with `event`, `data` and `id`."
                ) {
                    answer, lua in
                    let events = answer.answer.events
                    lua.newTable(array: Int32(events.count))
                    for (index, event) in events.enumerated() {
                        event.push(on: lua)
                        lua.rawSet(-2, index + 1)
                    }
                },
                field("is_open", "boolean", "The answer goes on.") { $1.push(!$0.answer.state.isEnded) },
                field("is_broken", "boolean", "The answer was broken off.") {
                    $1.push($0.answer.state.isBroken)
                },
            ])
    }
}

/// A waiting call of `next_event`.
@EngineActor
private final class EventStep: ClockMoving {
    private static let longest = 3600.0

    private let answer: TestAnswer
    private let waiter: LuaWaiter
    private let start: Double

    init(_ answer: TestAnswer, _ waiter: LuaWaiter) {
        (self.answer, self.waiter) = (answer, waiter)
        start = answer.host.clock.uptime
    }

    private var next: EventStreamParser.Event? {
        let events = answer.answer.events
        return events.count > answer.takenEvents ? events[answer.takenEvents] : nil
    }

    func advance() -> Bool {
        let host = answer.host
        guard next == nil, !answer.answer.state.isEnded, !host.isClosed, waiter.isAlive,
            let deadline = host.scheduler.nextDeadline, deadline - start <= Self.longest
        else { return false }
        host.move(toUptime: max(deadline, host.clock.uptime))
        return true
    }

    func finish() {
        guard let event = next else {
            return waiter.resume(
                onLoop { (lua: Lua) in
                    lua.pushNil()
                    return 1
                })
        }
        answer.takenEvents += 1
        waiter.resume(
            onLoop { (lua: Lua) in
                event.push(on: lua)
                return 1
            })
    }
}

extension EventStreamParser.Event {
    fileprivate func push(on lua: Lua) {
        lua.newTable(record: 3)
        lua.push(type)
        lua.rawSet(-2, "event")
        lua.push(bytes: data)
        lua.rawSet(-2, "data")
        if !id.isEmpty {
            lua.push(id)
            lua.rawSet(-2, "id")
        }
    }
}

extension LocalAnswer {
    /// The complete events in the body.
    fileprivate var events: [EventStreamParser.Event] {
        var parser = EventStreamParser(limit: .max)
        return (try? parser.take(state.body)) ?? []
    }
}
