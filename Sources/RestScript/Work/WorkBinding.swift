import LuaRuntime
import Platform
import RestEngine

/// `rest.spawn sleep after every worker`.
struct WorkBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: timeFunctions,
            fields: [
                BoundField("worker", type: "{ number: integer, count: integer }") { lua in
                    let worker = context.options.worker ?? WorkerNumber(number: 1, count: 1)
                    lua.newTable(record: 2)
                    for (name, value) in [("number", worker.number), ("count", worker.count)] {
                        lua.push(Int64(value))
                        lua.rawSet(-2, name)
                    }
                }
            ],
            classes: [show(ScriptJob.self, as: makeJobClass), show(ScriptTimer.self, as: makeTimerClass)])
    }

    private var timeFunctions: [ModuleFunction] {
        [
            ModuleFunction(
                "spawn", "(options?: { ... }, fn, ...) -> job", "Runs fn as a job; it may wait.",
                options: Self.workerSchema.descriptions
            ) { call in
                try context.runner.requireUnclosed(for: "rest.spawn")
                let (options, place) = try workerOptions(call, 1)
                let function = try call.function(place, "fn")
                let arguments = references(call, from: place + 1)
                let job = ScriptJob(context)
                if context.declarations.runsHere(eachWorker: options.eachWorker) {
                    job.start(function, arguments)
                } else {
                    job.leaveOut()
                }
                values.push(job, on: call.lua)
                return .one
            },
            ModuleFunction("sleep", "(seconds: number)", "Waits.") { call in
                let seconds = try duration(call, 1, "seconds")
                return .wait { waiter in
                    let timer = engine.scheduler.after(seconds) { waiter.resume { _ in 0 } }
                    // The state cancels a waiter on the engine loop.
                    waiter.onCancel = onLoop { timer.cancel() }
                }
            },
            ModuleFunction(
                "after", "(seconds: number, options?: { ... }, fn) -> timer", "Runs fn once, later.",
                options: Self.workerSchema.descriptions
            ) { call in
                try context.runner.requireUnclosed(for: "rest.after")
                try context.jobs.requireRoomForTimer()
                let seconds = try duration(call, 1, "seconds")
                let (options, last) = try workerOptions(call, 2)
                let timer = ScriptTimer(context, try call.function(last, "fn"), .once)
                if context.declarations.runsHere(eachWorker: options.eachWorker) {
                    timer.arm(after: seconds)
                } else {
                    timer.cancel()
                }
                values.push(timer, on: call.lua)
                return .one
            },
            ModuleFunction(
                "every", "(seconds: number | string, options?: { ... }, fn) -> timer",
                """
                Runs fn again and again, every so many seconds, or at times as of cron: `"*/5 * * * *"`, `"0 9 * * MON-FRI"`, \
                `"@daily"`. A run that is late is left out.
                """, options: Self.everyOptions.descriptions
            ) { call in
                try context.runner.requireUnclosed(for: "rest.every")
                try context.jobs.requireRoomForTimer()
                let (rhythm, options, last) = try rhythm(call)
                let timer = ScriptTimer(context, try call.function(last, "fn"), rhythm)
                if context.declarations.runsHere(eachWorker: options.eachWorker) {
                    timer.arm()
                } else {
                    timer.cancel()
                }
                values.push(timer, on: call.lua)
                return .one
            },
        ]
    }

    private func references(_ call: Arguments, from first: Int32) -> [LuaReference] {
        first > call.count ? [] : (first...call.count).map { call.lua.reference(call.slot($0)) }
    }

    /// Where, and by which clock, jobs and timers run.
    private struct Options {
        var zone: String?
        var eachWorker = false
    }

    private nonisolated static let workerOption = ScriptOption<Options>.flag(
        "each_worker", default: "false",
        "True to run it in every worker. Otherwise what the main file starts runs in the first one alone."
    ) { $0.eachWorker = $1 }

    private nonisolated static let workerSchema = ScriptSchema<Options>([workerOption])

    private nonisolated static let everyOptions = ScriptSchema<Options>([
        .text("zone", "The time zone, such as `\"Europe/Berlin\"`; default: the local zone.") {
            $0.zone = $1
        }, workerOption,
    ])

    /// Options that may stand before the function, and the index of the function argument.
    private func workerOptions(_ call: Arguments, _ index: Int32) throws -> (Options, Int32) {
        var given = Options()
        guard call.type(index) == .table else { return (given, index) }
        try call.options(index).read(Self.workerSchema, into: &given)
        return (given, index + 1)
    }

    /// A period or a schedule, its options, and the index of the function argument.
    private func rhythm(_ call: Arguments) throws -> (TimerRhythm, Options, Int32) {
        guard call.type(1) == .string else {
            let period = try duration(call, 1, "seconds")
            guard period >= 0.001 else { throw call.bad(1, "seconds", "a period is 0.001 or more") }
            let (options, last) = try workerOptions(call, 2)
            return (.period(period), options, last)
        }
        let text = try call.string(1, "times")
        var given = Options()
        let hasOptions = call.type(2) == .table
        if hasOptions {
            try call.options(2).read(Self.everyOptions, into: &given)
        } else if call.type(3) == .table {
            throw call.bad(
                3, "options", "they stand before the function: rest.every(times, { zone = … }, fn)")
        }
        do throws(CronSchedule.Fault) {
            let schedule = try CronSchedule(text, suggest: NearestName.advice)
            return (
                .cron(CronTimes(schedule, try zone(named: given.zone))), given, hasOptions ? 3 : 2
            )
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
                property("is_finished", "boolean", "True when it has ended.") { call in
                    call.lua.push(try call.receiver(as: ScriptJob.self).isFinished)
                    return .one
                }
            ])
    }

    func makeTimerClass() -> LuaClass {
        LuaClass(
            "timer", documentation: "Made by rest.after and rest.every.",
            methods: [
                method("cancel", "()", "Stops the timer; it does not run again.") { call in
                    try call.receiver(as: ScriptTimer.self).cancel()
                    return .none
                }
            ])
    }
}
