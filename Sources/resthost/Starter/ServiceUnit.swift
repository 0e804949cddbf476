/// The systemd files that run a script as a service (systemd.service(5), systemd.socket(5)).
struct ServiceUnit {
    /// The name of the files, without their extensions.
    var name: String
    /// The path of the program, absolute.
    var program: String
    /// The path of the script, absolute.
    var script: String
    /// Addresses in the form of `--listen`. When there are some, systemd listens and starts the host.
    var listen: [String] = []
    /// True for a service of one user, without rights of the system.
    var isUsers = false

    private var folder: String {
        let slash = script.lastIndex(of: "/") ?? script.startIndex
        return slash == script.startIndex ? "/" : String(script[..<slash])
    }

    var service: String {
        var text = """
            [Unit]
            Description=resthost, \(escaped(name))
            """
        if !listen.isEmpty { text += "\nRequires=\(name).socket\nAfter=\(name).socket" }
        text += """

            Wants=network-online.target
            After=network-online.target

            [Service]
            Type=notify
            ExecStart=\(quoted(program)) run \(quoted(script))\(isUsers ? "" : " --admin %t/\(name)/admin.sock")
            ExecReload=/bin/kill -HUP $MAINPID
            WorkingDirectory=\(escaped(folder))
            Restart=on-failure
            RestartSec=1
            WatchdogSec=30
            TimeoutStopSec=15
            LimitNOFILE=65536
            NoNewPrivileges=yes

            """
        if !isUsers {
            text += """
                DynamicUser=yes
                RuntimeDirectory=\(name)
                StateDirectory=\(name)
                LogsDirectory=\(name)
                ProtectSystem=strict
                ProtectHome=read-only
                PrivateTmp=yes
                PrivateDevices=yes
                ProtectKernelTunables=yes
                ProtectKernelModules=yes
                ProtectControlGroups=yes
                RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
                RestrictNamespaces=yes
                LockPersonality=yes
                SystemCallArchitectures=native

                """
        }
        return text + "\n[Install]\nWantedBy=\(isUsers ? "default.target" : "multi-user.target")\n"
    }

    /// Nil when there are no addresses.
    var socket: String? {
        guard !listen.isEmpty else { return nil }
        let lines = listen.map {
            "ListenStream=\($0.hasPrefix("unix:") ? escaped(String($0.dropFirst(5))) : $0)"
        }
        return """
            [Unit]
            Description=Where \(escaped(name)) listens

            [Socket]
            \(lines.joined(separator: "\n"))
            Backlog=1024

            [Install]
            WantedBy=sockets.target

            """
    }

    /// Escapes the characters that systemd would replace, and spaces.
    private func quoted(_ text: String) -> String {
        let text = escaped(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
            "$", with: "$$")
        return text.contains(" ") || text.contains("'") ? "\"\(text)\"" : text
    }

    private func escaped(_ text: String) -> String { text.replacing("%", with: "%%") }
}
