// The C library, under whatever name it has, for all modules: they import Platform.
#if canImport(Darwin)
    @_exported public import Darwin
#else
    @_exported public import Glibc
#endif
