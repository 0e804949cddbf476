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
    /// Further options of `resthost run`.
    var options: [String] = []
    /// Seconds that a host may take to end: see docs/reference/limits.md, L63.
    var stopSeconds = 15

    /// The rights of a system service: as few as a host needs (systemd.exec(5)).
    static let rights = """
        ProtectSystem=strict
        ProtectHome=read-only
        ProtectProc=invisible
        ProtectClock=yes
        ProtectControlGroups=yes
        ProtectHostname=yes
        ProtectKernelLogs=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        PrivateDevices=yes
        PrivateMounts=yes
        PrivateTmp=yes
        PrivateUsers=yes
        CapabilityBoundingSet=
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged
        SystemCallErrorNumber=EPERM

        """

    private var hasAdmin: Bool { options.contains { $0 == "--admin" || $0.hasPrefix("--admin=") } }

    private var command: String {
        let admin = isUsers || hasAdmin ? "" : " --admin %t/\(name)/admin.sock"
        return ([program, "run", script] + options).map(quoted).joined(separator: " ") + admin
    }

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
            ExecStart=\(command)
            ExecReload=/bin/kill -HUP $MAINPID
            WorkingDirectory=\(escaped(folder))
            Restart=on-failure
            RestartSec=1
            WatchdogSec=30
            TimeoutStopSec=\(stopSeconds)
            LimitNOFILE=65536
            NoNewPrivileges=yes

            # Secrets as variables, for rest.env: grant them with --allow-env or in resthost.toml.
            #EnvironmentFile=\(isUsers ? "%h/.config" : "/etc")/\(escaped(name)).env
            # Secrets as files, read with rest.read_file(rest.env.CREDENTIALS_DIRECTORY .. "/token"): add to
            # ExecStart --allow-env CREDENTIALS_DIRECTORY --allow-read . --allow-read %d
            #LoadCredential=token:\(isUsers ? "%h/.config" : "/etc")/\(escaped(name)).token

            """
        if !isUsers {
            text += """

                DynamicUser=yes
                RuntimeDirectory=\(name)
                StateDirectory=\(name)
                LogsDirectory=\(name)
                \(Self.rights)
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
