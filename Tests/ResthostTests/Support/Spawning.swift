import Platform
import Synchronization

/// Starts programs (posix_spawn(3)).
enum Spawning {
    struct Started {
        let id: pid_t
        /// The caller reads and closes it.
        let output: Int32
        let errors: Int32
    }

    /// One at a time, so that no child inherits the pipes of another.
    private static let turn = Mutex(())

    /// - Parameter descriptors: The soft and the hard limit of open descriptors for the program.
    static func start(
        _ arguments: [String], in folder: String, environment: [String: String],
        descriptors: (soft: Int, hard: Int)? = nil
    ) -> Started {
        turn.withLock { _ in
            let (output, outputEnd) = makePipe()
            let (errors, errorsEnd) = makePipe()
            defer {
                close(outputEnd)
                close(errorsEnd)
            }
            let limits = descriptors.map { "ulimit -Sn \($0.soft) && ulimit -Hn \($0.hard) && " } ?? ""
            let id = spawn(
                ["/bin/sh", "-c", limits + "cd \"$0\" && exec \"$@\"", folder] + arguments, environment,
                outputEnd,
                errorsEnd)
            return Started(id: id, output: output, errors: errors)
        }
    }

    private static func makePipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], _ output: Int32, _ errors: Int32
    ) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let words = strings(arguments)
        let variables = strings(inherited(without: environment) + environment.map { "\($0.key)=\($0.value)" })
        defer { for word in words + variables { free(word) } }
        var id = pid_t()
        let status = posix_spawn(&id, arguments[0], &actions, &attributes, words, variables)
        precondition(status == 0, "cannot start \(arguments[0]): \(String(cString: strerror(status)))")
        return id
    }

    /// The strings with a null behind them, as C requires.
    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// The test's environment without variables that could change its outcome.
    private static func inherited(without replaced: [String: String]) -> [String] {
        let unwanted: Set = [
            "API_URL", "RESTHOST", "RESTHOST_LISTEN", "http_proxy", "ALL_PROXY", "all_proxy",
        ]
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            let text = String(cString: variable)
            let name = String(text.prefix { $0 != "=" })
            if !unwanted.contains(name), replaced[name] == nil { variables.append(text) }
            next += 1
        }
        return variables
    }
}
