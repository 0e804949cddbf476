import CPlatform
import Platform

/// Checks the smallest limits for a command (getrlimit(2)). Below them libraries abort without a message, so
/// the command reports it before.
enum ProcessLimits {
    /// The limit for any command.
    static func requireForCommand() { require(addressSpace: 192 << 20) }

    /// The limits for a host: its threads have stacks of 8 MiB, and each needs descriptors of its own.
    static func requireForHost(threads: Int) {
        let descriptors = 40 + 4 * threads
        if DescriptorLimit.current < descriptors {
            Shortage.stop(
                "'run' needs \(descriptors) file descriptors, and this process may have \(DescriptorLimit.current)"
            )
        }
        require(addressSpace: (448 + 16 * threads) << 20)
    }

    private static func require(addressSpace bytes: Int) {
        let limit = cplatform_memory_limit()
        guard limit >= 0, limit < bytes else { return }
        Shortage.stop(
            "this command needs \(bytes >> 20) MiB of address space, and this process may have \(limit >> 20) MiB"
        )
    }
}
