import Platform

/// The address sanitizer, with which `make asan` builds the tests.
public enum Sanitizer {
    /// How much longer a limit of time has to be: the sanitizer checks each access to memory.
    public static let slowdown: Double = dlsym(nil, "__asan_init") == nil ? 1 : 4
}
