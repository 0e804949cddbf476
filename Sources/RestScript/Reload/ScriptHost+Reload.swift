import RestEngine

extension ScriptHost {
    /// Loads a script that is to take the place of `other`: services of the same name and base URL are the same
    /// objects, declared anew, and have their new definition already. Throws a ``Diagnostic``, with everything as it
    /// was, when the script is no good. What follows, in the same turn of the loop, is ``takeOver()`` or ``giveUp()``.
    ///
    /// - Parameter options: with the store of the other's.
    public convenience init(
        replacing other: ScriptHost, path: String, options: ScriptOptions
    ) throws(Diagnostic) {
        options.onFileReached?(path)
        try self.init(
            source: try ScriptSource.read(path), path: path, engine: other.context.engine, options: options,
            replacing: other.context)
    }

    /// The other script hears of it (`rest.on_reload`), loses its observers, timers and jobs, and is closed when
    /// nothing of it waits any more; this one's jobs begin.
    public func takeOver() { context.replacePredecessor() }

    /// This script is not to run after all: everything is as it was, and it is closed.
    public func giveUp() {
        context.rollBack()
        close()
    }

    /// Another has taken over, and this one waits for what it began.
    public var isRetired: Bool { context.isRetired }

    /// Calls `action` once, when a retired script can be closed.
    public func whenRetirementEnds(_ action: @escaping @EngineActor () -> Void) {
        context.retirement?.onEnd = action
    }

    /// Runs the functions of `rest.on_shutdown`; `completion` comes when all have returned.
    public func shutDown(_ completion: @escaping @EngineActor () -> Void) { context.shutDown(completion) }
}
