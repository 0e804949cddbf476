import Platform
public import Testing

/// A `redis-server` of the test's own, on a Unix socket and on a port of the system's choice.
public final class RedisServer {
    public static let program: String? = {
        let folders: [String] = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        let names: [String] = ["redis-server", "valkey-server"]
        let paths = folders.flatMap { folder in names.map { name in "\(folder)/\(name)" } }
        return paths.first { access($0, X_OK) == 0 }
    }()

    private let folder = TemporaryFolder()
    public let port: Int
    private let options: [String]
    private let isSentinel: Bool
    private var process: pid_t = 0

    /// - Parameter options: Lines of its configuration.
    public convenience init(_ options: String...) async {
        self.init(options: options, isSentinel: false)
        await start()
    }

    private init(options: [String], isSentinel: Bool) {
        port = LoopbackPeer.unusedPort()
        (self.options, self.isSentinel) = (options, isSentinel)
    }

    /// A sentinel that knows a primary, and decides alone.
    public static func sentinel(of primary: RedisServer, name: String) async -> RedisServer {
        let sentinel = RedisServer(
            options: ["sentinel monitor \(name) 127.0.0.1 \(primary.port) 1"], isSentinel: true)
        await sentinel.start()
        return sentinel
    }

    public var socket: String { folder.path + "/redis.sock" }
    public var address: String { "unix:\(socket)" }
    public var networkAddress: String { "redis://127.0.0.1:\(port)" }

    /// Starts it without data, and waits until it listens.
    public func start() async {
        folder.write(
            "redis.conf",
            """
            port \(port)
            bind 127.0.0.1
            unixsocket \(socket)
            dir \(folder.path)
            save ""
            appendonly no
            daemonize no
            logfile \(folder.path)/log

            """ + options.joined(separator: "\n") + "\n")
        unlink(socket)
        let words =
            [Self.program ?? "", folder.path + "/redis.conf"] + (isSentinel ? ["--sentinel"] : [])
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let status = posix_spawn(&process, words[0], nil, nil, &arguments, environ)
        #expect(status == 0, "redis-server starts")
        await yielding(until: "redis-server listens") { (try? LoopbackClient(path: socket)) != nil }
    }

    public func kill() {
        guard process != 0 else { return }
        signal(SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        process = 0
    }

    public func pause() { signal(SIGSTOP) }

    public func go() { signal(SIGCONT) }

    private func signal(_ number: Int32) { _ = Platform.kill(process, number) }

    deinit { kill() }
}

extension Trait where Self == ConditionTrait {
    /// Skips a suite on a machine without a server.
    public static var withRedis: Self {
        .enabled(if: RedisServer.program != nil, "redis-server is not installed")
    }
}
