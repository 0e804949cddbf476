// The C library, whatever its name, for all modules: they import Platform.
#if canImport(Darwin)
    @_exported public import Darwin
#else
    @_exported public import Glibc
#endif
