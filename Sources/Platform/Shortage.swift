/// The end of a program to which the system refuses what it can't do without: a thread, a descriptor, memory
/// for a library. The reason is the limits of the process (getrlimit(2)), not a fault, so it prints a
/// sentence and leaves no dump.
package enum Shortage {
    /// Writes the message to standard error and ends the process with code 1.
    ///
    /// - Parameter advice: How to help; by default for the limits of the process.
    package static func stop(
        _ message: String, advice: String = "raise the limits of this process (ulimit -a shows them)"
    ) -> Never {
        var line = "resthost: error: \(message); \(advice)\n"
        line.withUTF8 { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
        _exit(1)
    }
}
