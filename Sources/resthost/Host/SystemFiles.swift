import Platform

/// Files of the system that the program needs, and that a container or a chroot may lack.
enum SystemFiles {
    /// On Linux, Swift has the arguments of the command line from there, and would see none.
    static func requireArguments() {
        #if os(Linux)
            guard access("/proc/self/cmdline", R_OK) != 0 else { return }
            Shortage.stop(
                "there is no /proc, which has the arguments of this command",
                advice: "mount it with 'mount -t proc proc /proc'")
        #endif
    }

    /// A sentence for each file that a host misses.
    ///
    /// - Parameter isThere: Whether the host may open the file.
    static func warnings(isThere: (String) -> Bool = { access($0, R_OK) == 0 }) -> [String] {
        isThere("/dev/null")
            ? []
            : [
                "there is no /dev/null: it stands in for closed standard streams, and lets the gateway refuse clients when "
                    + "file descriptors run out; make it with 'mknod -m 666 /dev/null c 1 3'"
            ]
    }
}
