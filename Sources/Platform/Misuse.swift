/// Errors of the program that uses these modules, not of a script or a server: the process stops, because
/// going on would corrupt state that only one thread may touch.
package enum Misuse {
    /// Says what was touched, why that can't be allowed, where the caller is and where it should be.
    ///
    /// - Parameters:
    ///   - what: in a sentence, "a Lua state".
    ///   - owner: the thread that may, and how to get there.
    package static func wrongThread(what: String, owner: String) -> Never {
        stop(
            "wrong thread", what: "\(what) was used outside its thread",
            why: "only one thread may touch it; two would corrupt it without a sign",
            here: "thread \(NamedThread.currentDescription)", home: "thread \(owner)")
    }

    /// Writes the message to standard error and aborts.
    package static func stop(_ fault: String, what: String, why: String, here: String, home: String) -> Never
    {
        var message = """
            resthost: \(fault)
              what: \(what)
              why:  \(why)
              here: \(here)
              home: \(home)

            """
        message.withUTF8 { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
        abort()
    }
}
