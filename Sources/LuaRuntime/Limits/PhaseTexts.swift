import Platform
import Synchronization

/// What C says about a phase: it makes its messages where no Swift can run. Never changed, so any thread may read.
final class PhaseTexts: Sendable {
    nonisolated(unsafe) let name: UnsafePointer<CChar>?
    /// Nil for none.
    nonisolated(unsafe) let advice: UnsafePointer<CChar>?

    init(name: String, advice: String) {
        self.name = Self.kept(name)
        self.advice = advice.isEmpty ? nil : UnsafePointer(strdup(advice))
    }

    /// Names are few and stay for ever: a watchdog may read one just when its run ends.
    private static let names = Mutex<[String: UInt]>([:])

    private static func kept(_ name: String) -> UnsafePointer<CChar>? {
        names.withLock { names in
            if let known = names[name] { return UnsafePointer(bitPattern: known) }
            guard let new = UnsafePointer<CChar>(strdup(name)) else { return nil }
            names[name] = UInt(bitPattern: new)
            return new
        }
    }

    deinit {
        free(UnsafeMutablePointer(mutating: advice))
    }
}
