import Platform
import TestSupport

/// nginx with TLS and HTTP/2 on the loopback, with its own certificate. Only for tests on machines that have
/// it.
final class TLSServer: Sendable {
    static let isInstalled = run("command -v nginx openssl") == 0

    let port: Int
    /// The port where it only speaks TLS 1.2, and requires a client certificate.
    let strictPort: Int
    /// Has certificate.pem, which is self-signed; client.pem and client.key.pem, which the strict port
    /// accepts; trusted, a folder of certificates by their hash; and pin, that of the server's key.
    let folder: String
    /// The end of a pipe. When it is closed, by us or with this process, the server stops.
    private let lifeline: Int32
    private let watcher: pid_t

    /// - Parameter upstream: The port of a plain server on the loopback, to which `/echo` is forwarded.
    init?(upstream: Int) {
        var template = Array("/tmp/resthost-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.folder = folder
        port = LoopbackPeer.unusedPort()
        strictPort = LoopbackPeer.unusedPort()
        let isMade =
            Self.run(
                """
                cd \(folder) && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
                -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
                -keyout key.pem -out certificate.pem \
                && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
                -subj /CN=client -keyout client.key.pem -out client.pem \
                && mkdir trusted && cp certificate.pem trusted && openssl rehash trusted \
                && openssl pkey -in key.pem -pubout -outform der | openssl dgst -sha256 -binary \
                | base64 >pin
                """) == 0
        let nginx = "nginx -e \(folder)/error.log -c \(folder)/nginx.conf"
        let configuration = Self.configuration(folder, port: port, strictPort: strictPort, upstream: upstream)
        guard isMade, Self.write(configuration, to: folder + "/nginx.conf"),
            let (lifeline, watcher) = Self.watch("\(nginx) -s stop; rm -rf \(folder)")
        else { return nil }
        self.lifeline = lifeline
        self.watcher = watcher
        // nginx goes to the background once its socket listens, so no further wait is needed.
        guard Self.run(nginx) == 0 else { return nil }
    }

    deinit {
        close(lifeline)
        Self.wait(for: watcher)
    }

    var certificateFile: String { folder + "/certificate.pem" }

    var url: String { "https://127.0.0.1:\(port)/" }

    var strictURL: String { "https://127.0.0.1:\(strictPort)/" }

    private static func configuration(_ folder: String, port: Int, strictPort: Int, upstream: Int) -> String {
        """
        pid \(folder)/nginx.pid;
        events {}
        http {
            access_log off;
            client_body_temp_path \(folder)/body;
            client_body_buffer_size 1m;
            server {
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate certificate.pem;
                ssl_certificate_key key.pem;
                location / { return 200 "$server_protocol $connection"; }
                location /echo { proxy_pass http://127.0.0.1:\(upstream); }
            }
            server {
                listen 127.0.0.1:\(strictPort) ssl;
                ssl_certificate certificate.pem;
                ssl_certificate_key key.pem;
                ssl_protocols TLSv1.2;
                ssl_client_certificate client.pem;
                ssl_verify_client on;
                location / { return 200 "$ssl_protocol $ssl_client_s_dn"; }
            }
        }
        """
    }

    private static func write(_ text: String, to path: String) -> Bool {
        guard let file = fopen(path, "w") else { return false }
        defer { fclose(file) }
        return fputs(text, file) >= 0
    }

    /// The pin of its key; nil if it can't be read.
    var pin: String? {
        guard let file = fopen(folder + "/pin", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, 64, file) != nil else { return nil }
        return "sha256//" + String(decoding: line.prefix(44).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The exit status of a shell command. Its output is dropped.
    private static func run(_ command: String) -> Int32 {
        spawn(command, input: nil).map(wait) ?? -1
    }

    /// Starts a shell that runs a command when the pipe is closed. Signals to our process group don't end it
    /// before.
    private static func watch(_ command: String) -> (lifeline: Int32, watcher: pid_t)? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        // No other child may keep the pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard let watcher = spawn("trap '' INT TERM HUP; read line; \(command)", input: ends[0]) else {
            close(ends[1])
            return nil
        }
        return (ends[1], watcher)
    }

    private static func spawn(_ command: String, input: Int32?) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        let words = ["sh", "-c", "exec >/dev/null 2>&1; " + command]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        return posix_spawn(&pid, "/bin/sh", &actions, nil, &arguments, environ) == 0 ? pid : nil
    }

    @discardableResult
    private static func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}
