internal import CPlatform

/// How many file descriptors this process may have open (getrlimit(2), RLIMIT_NOFILE).
public enum DescriptorLimit {
    /// More than this is not asked for: descriptors of idle clients cost memory in the kernel, and where the
    /// hard limit is a billion, as in some containers, a program that walks over all of them would not come
    /// to an end.
    private static let most: Int32 = 65_536

    /// The soft limit; 1,024 when it isn't known.
    public static var current: Int {
        let limit = cplatform_descriptor_limit()
        return limit < 0 ? 1024 : Int(limit)
    }

    /// Stay free when this process makes connections of its own, so that it goes on hearing its clients, and
    /// can tell them what it can't do; see docs/reference/limits.md, L140.
    private static let mostKept = 32

    /// From this descriptor on, a connection that this process begins is one too many: the system gives the
    /// lowest that is free (open(2)), so nearly all below it are taken.
    public static let firstKept = CInt(clamping: current - min(mostKept, current / 8))

    /// Raises the soft limit to the hard one, and to 65,536 at most. The soft limit is low by tradition, for
    /// programs that use select(2), which reaches 1,024 descriptors; nothing here does. Once, at the start of
    /// a program.
    public static func raise() { cplatform_raise_descriptor_limit(most) }
}
