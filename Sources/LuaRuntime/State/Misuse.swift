import CPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Errors of the program that embeds Lua, not of a script: the process stops, because going on would corrupt
/// a state that only one thread may touch.
enum Misuse {
    static func wrongThread(owner: String) -> Never {
        stop(
            what: "a Lua state was used outside its thread",
            why: "only one thread may touch it; two would corrupt it without a sign",
            here: "thread \(currentThread)",
            home: "thread \(owner); get there before you call")
    }

    static func stop(what: String, why: String, here: String, home: String) -> Never {
        var message = """
            resthost: misuse of Lua
              what: \(what)
              why:  \(why)
              here: \(here)
              home: \(home)

            """
        message.withUTF8 { bytes in _ = write(2, bytes.baseAddress, bytes.count) }
        abort()
    }

    /// The calling thread, as debuggers and `top -H` show it.
    static var currentThread: String {
        var name = [CChar](repeating: 0, count: 64)
        cplatform_get_thread_name(&name, name.count)
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "'\(text)' (\(pthread_self()))"
    }
}
