#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the machine has to work with.
enum Processors {
    static let count = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}
