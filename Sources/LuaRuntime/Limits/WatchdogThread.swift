import CLua

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A thread that runs a watchdog until it has nothing to watch.
enum WatchdogThread {
    static func start(_ watchdog: LuaWatchdog) {
        let argument = Unmanaged.passRetained(watchdog).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let result = pthread_create(
            &thread, nil,
            { argument in
                // The argument is the watchdog that was retained above.
                #if canImport(Darwin)
                    let watchdog = Unmanaged<LuaWatchdog>.fromOpaque(argument).takeRetainedValue()
                #else
                    let watchdog = Unmanaged<LuaWatchdog>.fromOpaque(argument!).takeRetainedValue()
                #endif
                clua_name_thread("lua watchdog")
                watchdog.watch()
                return nil
            }, argument)
        guard result == 0 else { return Unmanaged<LuaWatchdog>.fromOpaque(argument).release() }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }
}
