import Platform

/// Files of the system that a host needs, and that a container or a chroot may lack.
enum SystemFiles {
    /// A sentence for each file that is missing.
    ///
    /// - Parameter isThere: Whether the host may open the file.
    static func warnings(isThere: (String) -> Bool = { access($0, R_OK) == 0 }) -> [String] {
        var warnings: [String] = []
        if !isThere("/proc/self/stat") {
            warnings.append(
                "there is no /proc: memory pressure, limits of control groups, and CPU and memory of this process are "
                    + "unknown; mount it with 'mount -t proc proc /proc'")
        }
        if !isThere("/dev/null") {
            warnings.append(
                "there is no /dev/null: it stands in for closed standard streams, and lets the gateway refuse clients when "
                    + "file descriptors run out; make it with 'mknod -m 666 /dev/null c 1 3'")
        }
        return warnings
    }
}
