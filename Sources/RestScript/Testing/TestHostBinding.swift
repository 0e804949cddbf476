import LuaRuntime
import Platform
import RestEngine

/// `host.services`: the services of a host, by name.
final class TestServices: LuaObject {
    let host: TestHost
    init(_ host: TestHost) { self.host = host }

    var keptBytes: Int { 64 }
}

extension ScriptTestFile {
    func makeHostClass() -> LuaClass {
        LuaClass(
            "host",
            documentation:
                "An engine with a clock, a store and stubs of its own, and perhaps a script; made by t.load and t.host. It ends with its test.",
            methods: stubMethods + timeMethods + [requestMethod],
            properties: [
                property("rest", "table", "The library that `require \"resthost\"` gives in the script.") {
                    [unowned self] call in
                    try host(call).context.sandbox.pushModule("resthost", on: call.lua)
                    return .one
                },
                property("services", "services", "The services declared so far, by name.") {
                    [unowned self] call in
                    call.lua.push(object: TestServices(try host(call)), class: servicesClass)
                    return .one
                },
            ],
            tostring: { object in
                (object as? TestHost).map { $0.name.isEmpty ? "host" : "host \($0.name)" } ?? "host"
            })
    }

    /// The receiver, which must be a host whose test has not ended.
    func host(_ call: Arguments) throws -> TestHost {
        try requireUnfailed()
        let host = try call.receiver(as: TestHost.self)
        try host.requireOpen()
        return host
    }

    private var stubMethods: [LuaMethod] {
        [
            method(
                "stub",
                "(method: string, url_glob: string, reply?: { ... } | function(request) -> table) -> stub",
                "Answers matching requests; of several stubs the newest that matches. A function gives the same table, without "
                    + "`when`.", options: StubReplyOptions.schemaOfStubs.descriptions
            ) { [unowned self] call in
                let host = try host(call)
                call.lua.push(object: try makeStub(call, host), class: stubClass)
                return .one
            },
            method(
                "replay",
                "(path: string, options?: { ... })",
                "Answers requests without a stub from a recording (HAR): those of one request in order, the last one again and "
                    + "again. The path is relative to the test file.",
                options: ReplayOptions.schema.descriptions
            ) { [unowned self] call in
                try replay(call, try host(call))
                return .none
            },
            method("clear_stubs", "()", "Forgets all stubs and recordings.") { [unowned self] call in
                try host(call).transport.clear()
                return .none
            },
            method(
                "memory_pressure", "()",
                "Collects garbage, then drops the resources that nobody holds, as flush_unused_resources does."
            ) { [unowned self] call in
                let host = try host(call)
                return host.context.runner.unwound(call) { _ = host.script.relieveMemory() }
            },
        ]
    }

    private var timeMethods: [LuaMethod] {
        [
            method(
                "clock", "(time: number?) -> number",
                "The host's time, Unix seconds; it begins at 1,000,000. With an argument sets it: forward as advance does, "
                    + "backward without any timer."
            ) { [unowned self] call in
                let host = try host(call)
                guard !call.isAbsent(1) else {
                    call.lua.push(host.clock.now)
                    return .one
                }
                let time = try call.number(1, "time")
                guard time.isFinite else { throw call.bad(1, "time", "it is a number of seconds") }
                let distance = time - host.clock.now
                if distance <= 0 {
                    host.move(toUptime: host.clock.uptime, now: time)
                    return .none
                }
                return try move(host, to: (host.clock.uptime + distance, time))
            },
            method(
                "advance", "(seconds: number)",
                "Moves the clock from timer to timer, runs the work that is due, and waits for it."
            ) { [unowned self] call in
                let host = try host(call)
                let seconds = try call.number(1, "seconds")
                guard seconds >= 0, seconds.isFinite else {
                    throw call.bad(1, "seconds", "seconds are 0 or more")
                }
                return try move(host, to: host.timeAfter(seconds))
            },
            method("settle", "()", "Runs tick after tick until no work is due, and waits for it.") {
                [unowned self] call in
                try move(try host(call), to: nil)
            },
        ]
    }

    private func move(_ host: TestHost, to target: (uptime: Double, now: Double)?) throws -> CallResult {
        guard let run else {
            throw LuaUsageError(
                "a host only runs during a test: call this inside t.test or t.before_each")
        }
        return .wait { waiter in run.steps.append(ClockStep(host, to: target, waiter)) }
    }

    // MARK: Services

    func makeServicesClass() -> LuaClass {
        LuaClass(
            "services", documentation: "The services of a host, by name. An unknown name is an error.",
            index: hostFunction { [unowned self] call in
                try requireUnfailed()
                let host = try call.receiver(as: TestServices.self).host
                try host.requireOpen()
                let name = try call.string(1, "name")
                guard let service = host.script.service(named: name) else {
                    throw LuaUsageError(unknownService(name, host.script.services.map(\.name)))
                }
                host.context.values.push(service, on: call.lua)
                return .one
            },
            newIndex: hostFunction { _ in
                throw LuaUsageError("declare services with host.rest.service{ … }")
            },
            pairs: hostFunction { [unowned self] call in
                let host = try call.receiver(as: TestServices.self).host
                let lua = call.lua
                home.context.sandbox.pushGlobals(on: lua)
                lua.rawGet(-1, "next")
                lua.remove(-2)
                lua.newTable()
                for service in host.script.services {
                    host.context.values.push(service, on: lua)
                    lua.rawSet(-2, service.name)
                }
                lua.pushNil()
                return .results(3)
            })
    }

    private func unknownService(_ name: String, _ names: [String]) -> String {
        guard !names.isEmpty else { return "the host has no service '\(name)': it has none at all" }
        let advice = NearestName.advice(name, among: names)
        return "the host has no service '\(name)'"
            + (advice.isEmpty ? ": it has \(names.joined(separator: ", "))" : advice)
    }
}
