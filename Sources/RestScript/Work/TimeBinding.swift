import LuaRuntime
import RestEngine

/// `rest.spawn sleep after every all gather now`.
extension ScriptContext {
    var timeFunctions: [ModuleFunction] {
        [
            ModuleFunction("spawn", "(fn, ...) -> job", "Runs fn as a job of its own; it may wait.") {
                [unowned self] call in
                try runner.requireUnclosed(for: "rest.spawn")
                let function = try call.function(1, "fn")
                let arguments = references(call, from: 2)
                let job = ScriptJob(self)
                start(job, function, arguments)
                call.lua.push(object: job, class: jobClass)
                return .one
            },
            ModuleFunction("sleep", "(seconds: number)", "Waits.") { [unowned self] call in
                let seconds = try duration(call, 1, "seconds")
                return .wait { waiter in
                    let timer = self.engine.scheduler.after(seconds) { waiter.resume { _ in 0 } }
                    waiter.onCancel = { EngineActor.assumeIsolated { timer.cancel() } }
                }
            },
            ModuleFunction("after", "(seconds: number, fn) -> timer", "Runs fn once, later.") {
                [unowned self] call in
                try runner.requireUnclosed(for: "rest.after")
                let timer = ScriptTimer(self, try call.function(2, "fn"), .once)
                timer.arm(after: try duration(call, 1, "seconds"))
                call.lua.push(object: timer, class: timerClass)
                return .one
            },
            ModuleFunction(
                "every", "(seconds: number | string, options?: { zone: string }, fn) -> timer",
                """
                Runs fn again and again, every so many seconds, or at times as of cron: `"*/5 * * * *"`, `"0 9 * * MON-FRI"`, \
                `"@daily"`, in the local zone or in that of `zone = "Europe/Berlin"`. A run that is late is left out.
                """
            ) {
                [unowned self] call in
                try runner.requireUnclosed(for: "rest.every")
                let (rhythm, last) = try rhythm(call)
                let timer = ScriptTimer(self, try call.function(last, "fn"), rhythm)
                timer.arm()
                call.lua.push(object: timer, class: timerClass)
                return .one
            },
            ModuleFunction(
                "all", "(list: (request | fn)[]) -> results[] | nil, error, results[]",
                "Waits for all; the results in order."
            ) {
                [unowned self] call in
                try waitForAll(call)
            },
            ModuleFunction(
                "gather",
                "(list: any[], limit: integer, fn: function(item, index)) -> results[] | nil, error, results[]",
                "Runs fn on each item, so many at a time."
            ) {
                [unowned self] call in
                try gather(call)
            },
            nowFunction,
        ]
    }

    func references(_ call: Arguments, from first: Int32) -> [LuaReference] {
        first > call.count ? [] : (first...call.count).map { call.lua.reference(call.slot($0)) }
    }

    func start(_ job: ScriptJob, _ function: LuaReference, _ arguments: [LuaReference]) {
        job.start(function) { lua in
            for argument in arguments { lua.push(argument) }
            return Int32(arguments.count)
        }
    }

    /// A period or a schedule, and the place of the function behind it.
    private func rhythm(_ call: Arguments) throws -> (TimerRhythm, Int32) {
        guard call.type(1) == .string else {
            let period = try duration(call, 1, "seconds")
            guard period >= 0.001 else { throw call.bad(1, "seconds", "a period is 0.001 or more") }
            return (.period(period), 2)
        }
        let text = try call.string(1, "times")
        var zone: String?
        let hasOptions = call.type(2) == .table
        if hasOptions {
            let options = try call.options(2)
            zone = try options.string("zone")
            try options.finish()
        } else if call.type(3) == .table {
            throw call.bad(
                3, "options", "they stand before the function: rest.every(times, { zone = … }, fn)")
        }
        do throws(CronSchedule.Fault) {
            let schedule = try CronSchedule(text, suggest: NearestName.advice)
            return (.cron(CronTimes(schedule, try self.zone(named: zone))), hasOptions ? 3 : 2)
        } catch { throw call.bad(1, "times", error.message) }
    }

    private func zone(named name: String?) throws(CronSchedule.Fault) -> ZoneTable {
        do throws(ZoneTable.Fault) {
            return try options.zones.zone(named: name, suggest: NearestName.advice)
        } catch { throw CronSchedule.Fault(message: error.message) }
    }

    private func duration(_ call: Arguments, _ index: Int32, _ name: String) throws -> Double {
        let seconds = try call.number(index, name)
        guard seconds >= 0, seconds.isFinite else { throw call.bad(index, name, "seconds are 0 or more") }
        return seconds
    }

    func makeJobClass() -> LuaClass {
        LuaClass(
            "job", documentation: "A function that runs by itself; made by rest.spawn.",
            methods: [
                method("cancel", "()", "Ends it at its next wait; no effect on one that has ended.") { call in
                    try call.receiver(as: ScriptJob.self).cancel()
                    return .none
                },
                method("await", "() -> ... | nil, error", "Waits for its end and gives what it returned.") {
                    call in
                    let job = try call.receiver(as: ScriptJob.self)
                    return .wait { waiter in job.wait(waiter) }
                },
            ],
            properties: [
                property("is_finished", "boolean", "It has ended.") { call in
                    call.lua.push(try call.receiver(as: ScriptJob.self).isFinished)
                    return .one
                }
            ])
    }

    func makeTimerClass() -> LuaClass {
        LuaClass(
            "timer", documentation: "Made by rest.after and rest.every.",
            methods: [
                method("cancel", "()", "It does not run again.") { call in
                    try call.receiver(as: ScriptTimer.self).cancel()
                    return .none
                }
            ])
    }
}
