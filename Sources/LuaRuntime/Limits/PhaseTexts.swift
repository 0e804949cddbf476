#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What C says about a phase: it makes its messages where no Swift can run. Never changed, so any thread may read.
final class PhaseTexts: Sendable {
    nonisolated(unsafe) let name: UnsafePointer<CChar>?
    /// Nil for none.
    nonisolated(unsafe) let advice: UnsafePointer<CChar>?

    init(name: String, advice: String) {
        self.name = UnsafePointer(strdup(name))
        self.advice = advice.isEmpty ? nil : UnsafePointer(strdup(advice))
    }

    deinit {
        free(UnsafeMutablePointer(mutating: name))
        free(UnsafeMutablePointer(mutating: advice))
    }
}
