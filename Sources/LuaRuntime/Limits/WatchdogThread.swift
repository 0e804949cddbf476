import Platform

/// A thread that runs a watchdog until it has nothing to watch.
enum WatchdogThread {
    static func start(_ watchdog: LuaWatchdog) {
        // Without a thread nothing is watched; whatever else needs one will say so.
        _ = NamedThread.start(name: "lua watchdog") { watchdog.watch() }
    }
}
