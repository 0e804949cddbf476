import LuaRuntime

/// The kinds of a script's functions, and what each kind may do; see docs/guides/limits-and-grants.md.
struct ScriptPhases: Sendable {
    let load: RunPhase
    let block: RunPhase
    let predicate: RunPhase
    /// The functions that decide about one URL and configure it.
    let matching: RunPhase
    let transformer: RunPhase
    let mutator: RunPhase
    let decorator: RunPhase
    let refreshPredicate: RunPhase
    let retry: RunPhase
    let progress: RunPhase
    let definition: RunPhase
    let cacheUser: RunPhase
    let cache: RunPhase
    let hook: RunPhase
    let job: RunPhase
    let test: RunPhase
    let testFile: RunPhase
    let stubReply: RunPhase
    let record: RunPhase

    init(_ limits: ScriptLimits) {
        func phase(_ phase: ScriptLimits.Phase, _ name: String, waitAdvice: String? = nil) -> RunPhase {
            let time = limits[phase]
            return RunPhase(
                name: name, mayWait: waitAdvice == nil, waitAdvice: waitAdvice ?? "",
                budgetSeconds: time.burst, totalSeconds: time.total,
                limitAdvice: Self.advice(phase, time, mayWait: waitAdvice == nil))
        }
        load = phase(
            .load, "script load",
            waitAdvice: "the script is being loaded; put it into rest.spawn(function() … end)")
        block = phase(
            .block, "configuration block",
            waitAdvice:
                "a configuration block runs while a request is built; wait in a hook or in rest.spawn instead"
        )
        predicate = phase(
            .predicate, "pattern function",
            waitAdvice: "a pattern function runs while a request is built; decide by the URL alone")
        let oneFunction = max(limits[.predicate].burst, limits[.block].burst)
        matching = RunPhase(
            name: "the configuration of one URL", mayWait: false, budgetSeconds: .infinity,
            totalSeconds: oneFunction * Self.functionsOfOneURL,
            limitAdvice:
                "use globs in place of pattern functions, or allow more with --limit block=\(oneFunction * 2)"
        )
        transformer = phase(
            .transformer, "transformer",
            waitAdvice:
                "a transformer runs in the middle of a response; fetch what it needs before, in a hook or a job"
        )
        mutator = phase(
            .mutator, "request mutation",
            waitAdvice: "a request is put together in one go; fetch what it needs before, in a hook or a job")
        decorator = phase(
            .decorator, "request decorator",
            waitAdvice: "a decorator returns a request at once; wait in a hook of that request")
        refreshPredicate = phase(
            .predicate, "predicate of rest.refresh_on",
            waitAdvice:
                "a predicate of rest.refresh_on decides by the error alone; its second function may wait")
        retry = phase(
            .predicate, "function of retry.when",
            waitAdvice: "retry.when decides by the error alone; it can return the seconds to wait")
        progress = phase(
            .predicate, "progress function",
            waitAdvice: "a progress function answers at once; keep the number in a variable that start sets")
        definition = phase(
            .hook, "function of a definition",
            waitAdvice:
                "a function of a definition gives properties at once; wait for what it needs before the call"
        )
        cacheUser = phase(
            .predicate, "cache's user function",
            waitAdvice: "a cache asks for its user while it makes a key; keep the user's name in a variable")
        cache = phase(.hook, "cache function")
        hook = phase(.hook, "hook")
        job = phase(.job, "job")
        test = phase(.test, Self.testName)
        testFile = phase(
            .load, "test file",
            waitAdvice: "a test file only declares its tests; wait inside t.test(name, function() … end)")
        stubReply = phase(
            .hook, "stub's function",
            waitAdvice: "a stub answers at once; give the reply a delay, or gate it")
        record = phase(
            .hook, "function of a reader",
            waitAdvice: "a reader's function gets records at once; without it reader:write returns them")
    }

    static let testName = "test"

    /// All functions for one URL together may take so many times the time of one (limit L260).
    private static let functionsOfOneURL = 5.0

    /// The end of the message for a function that took too long.
    private static func advice(
        _ phase: ScriptLimits.Phase, _ time: ScriptLimits.Time, mayWait: Bool
    ) -> String {
        let pause = mayWait ? ", wait in between with rest.sleep(0)" : ""
        let more = time.burst * 2
        let text = more == more.rounded() && more < 1e9 ? "\(Int(more))" : more.isFinite ? "\(more)" : "none"
        return
            "look for a loop that doesn't end\(pause), or allow more with --limit \(phase.rawValue)=\(text)"
    }
}
