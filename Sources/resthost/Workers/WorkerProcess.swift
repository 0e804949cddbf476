import CPlatform
import Platform

/// A worker's process, as its supervisor sees it: this program with the same arguments, and two connections.
final class WorkerProcess: Sendable {
    /// Set in the environment of a worker.
    static let variable = "RESTHOST_WORKER"
    /// The descriptors with which a worker starts.
    static let ordersDescriptor: Int32 = 3
    static let socketsDescriptor: Int32 = 4

    struct Fault: Error {
        var message: String
    }

    let process: pid_t
    /// Reports and orders.
    let orders: MessageSocket
    /// Requests for listening sockets, each of which the worker waits for.
    let sockets: MessageSocket

    private init(_ process: pid_t, _ orders: MessageSocket, _ sockets: MessageSocket) {
        (self.process, self.orders, self.sockets) = (process, orders, sockets)
    }

    static func start() throws(Fault) -> WorkerProcess {
        guard let orders = MessageSocket.pair() else {
            throw Fault(message: String(cString: strerror(errno)))
        }
        defer { close(orders.descriptor) }
        guard let sockets = MessageSocket.pair() else {
            throw Fault(message: String(cString: strerror(errno)))
        }
        defer { close(sockets.descriptor) }
        var process: Int32 = -1
        var environment = environment
        defer { free(environment[environment.count - 2]) }
        let status = cplatform_spawn(
            executable, CommandLine.unsafeArgv, &environment, orders.descriptor, sockets.descriptor, &process)
        guard status == 0 else { throw Fault(message: String(cString: strerror(status))) }
        return WorkerProcess(process, orders.0, sockets.0)
    }

    /// Waits for the end of the process.
    func wait() -> WorkerEnd {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return .code(1) }
        }
        // The macros of wait(2).
        let signal = status & 0x7F
        return signal == 0 ? .code((status >> 8) & 0xFF) : .signal(signal)
    }

    private static var executable: String {
        #if os(Linux)
            // The name of the file gives the process its name, unless it was replaced since.
            var name = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/exe", &name, name.count - 1)
            let path = String(
                decoding: name.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return access(path, X_OK) == 0 ? path : "/proc/self/exe"
        #else
            return CommandLine.arguments.first ?? "resthost"
        #endif
    }

    /// The supervisor alone talks to the service manager. The entry before the last one, nil, is the caller's
    /// to free.
    private static var environment: [UnsafeMutablePointer<CChar>?] {
        let own = ["NOTIFY_SOCKET=", "WATCHDOG_USEC=", "WATCHDOG_PID=", "LISTEN_", variable + "="]
        var entries: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let entry = next.pointee {
            if !own.contains(where: { strncmp(entry, $0, $0.utf8.count) == 0 }) { entries.append(entry) }
            next += 1
        }
        return entries + [strdup(variable + "=1"), nil]
    }
}
