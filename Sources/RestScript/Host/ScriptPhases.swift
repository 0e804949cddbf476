import LuaRuntime

/// What the pieces of a script may do while they run (design, Limits and security).
enum ScriptPhases {
    static let load = RunPhase(
        name: "script load", mayWait: false,
        waitAdvice: "the script is being loaded; put it into rest.spawn(function() … end)", budgetSeconds: 5)

    static let block = RunPhase(
        name: "configuration block", mayWait: false,
        waitAdvice:
            "a configuration block runs while a request is built; wait in a hook or in rest.spawn instead",
        budgetSeconds: 0.05)

    static let predicate = RunPhase(
        name: "pattern function", mayWait: false,
        waitAdvice: "a pattern function runs while a request is built; decide by the URL alone",
        budgetSeconds: 0.05)

    static let transformer = RunPhase(
        name: "transformer", mayWait: false,
        waitAdvice:
            "a transformer runs in the middle of a response; fetch what it needs before, in a hook or a job",
        budgetSeconds: 0.05)

    static let mutator = RunPhase(
        name: "request mutation", mayWait: false,
        waitAdvice: "a request is put together in one go; fetch what it needs before, in a hook or a job",
        budgetSeconds: 0.05)

    static let decorator = RunPhase(
        name: "request decorator", mayWait: false,
        waitAdvice: "a decorator returns a request at once; wait in a hook of that request",
        budgetSeconds: 0.05)

    static let refreshPredicate = RunPhase(
        name: "predicate of rest.refresh_on", mayWait: false,
        waitAdvice: "a predicate of rest.refresh_on decides by the error alone; its second function may wait",
        budgetSeconds: 0.05)

    static let progress = RunPhase(
        name: "progress function", mayWait: false,
        waitAdvice: "a progress function answers at once; keep the number in a variable that start sets",
        budgetSeconds: 0.05)

    static let cacheUser = RunPhase(
        name: "cache's user function", mayWait: false,
        waitAdvice: "a cache asks for its user while it makes a key; keep the user's name in a variable",
        budgetSeconds: 0.05)

    static let cache = RunPhase(name: "cache function", mayWait: true, budgetSeconds: 0.5)

    static let hook = RunPhase(name: "hook", mayWait: true, budgetSeconds: 0.5)

    static let job = RunPhase(name: "job", mayWait: true, budgetSeconds: 0.5)

    static let test = RunPhase(name: "test", mayWait: true, budgetSeconds: 5)

    static let testFile = RunPhase(
        name: "test file", mayWait: false,
        waitAdvice: "a test file only declares its tests; wait inside t.test(name, function() … end)",
        budgetSeconds: 5)

    static let stubReply = RunPhase(
        name: "stub's function", mayWait: false,
        waitAdvice: "a stub answers at once; give the reply a delay, or gate it", budgetSeconds: 0.5)
}
