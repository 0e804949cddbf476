import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// nginx with TLS and HTTP/2 on the loopback, with a certificate of its own; for tests only where it is
/// installed.
final class TLSServer: Sendable {
    static let isInstalled = run("command -v nginx openssl") == 0

    let port: Int
    /// The certificate, which signs itself.
    let certificateFile: String
    private let folder: String
    private let upstream: Int

    /// `upstream`: port of a plain server on the loopback, to which `/echo` is passed on.
    init?(upstream: Int) {
        self.upstream = upstream
        var template = Array("/tmp/resthost-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        certificateFile = folder + "/certificate.pem"
        port = LoopbackPeer.unusedPort()
        let isMade =
            Self.run(
                """
                cd \(folder) && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
                -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
                -keyout key.pem -out certificate.pem
                """) == 0
        // nginx goes to the background when its socket listens, so there is nothing to wait for.
        guard isMade, write(configuration, to: folder + "/nginx.conf"),
            Self.run("nginx -e \(folder)/error.log -c \(folder)/nginx.conf") == 0
        else { return nil }
    }

    deinit {
        _ = Self.run("nginx -e \(folder)/error.log -c \(folder)/nginx.conf -s stop; rm -rf \(folder)")
    }

    var url: String { "https://127.0.0.1:\(port)/" }

    private var configuration: String {
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
        }
        """
    }

    private func write(_ text: String, to path: String) -> Bool {
        guard let file = fopen(path, "w") else { return false }
        defer { fclose(file) }
        return fputs(text, file) >= 0
    }

    /// Exit status of a shell command whose output nobody wants.
    private static func run(_ command: String) -> Int32 {
        var pid = pid_t()
        let words = ["sh", "-c", "exec >/dev/null 2>&1; " + command]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        guard posix_spawn(&pid, "/bin/sh", nil, nil, &arguments, environ) == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}
