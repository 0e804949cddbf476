#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Errors of the program that links the engine, not of a script or a server: the process stops, because going on
/// would corrupt state that only one thread may touch.
enum Misuse {
    /// Says what was touched, why that can't be allowed, where the caller is and where it should be.
    static func wrongThread(what: String, owner: String) -> Never {
        stop(
            """
            resthost: wrong thread
              what: \(what) was used outside its thread
              why:  only one thread may touch it; two would corrupt it without a sign
              here: thread \(LoopThread.currentDescription)
              home: thread \(owner); use 'await', EngineActor.run or EngineLoop.submit to get there

            """)
    }

    private static func stop(_ message: String) -> Never {
        var message = message
        message.withUTF8 { bytes in _ = write(2, bytes.baseAddress, bytes.count) }
        abort()
    }
}
