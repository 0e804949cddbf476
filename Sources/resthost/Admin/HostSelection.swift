import ArgumentParser
import Platform
import RestEngine

/// The options that select the running host for a command.
struct HostSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp("The host with this process number.", valueName: "number"),
        completion: Completions.host)
    var pid: Int32?

    @Option(help: ArgumentHelp("The host with this admin socket.", valueName: "path"), completion: .file())
    var admin: String?

    func validate() throws {
        if let pid, pid < 1 { throw ValidationError("--pid must be 1 or more") }
        if pid != nil, admin != nil { throw ValidationError("use either --pid or --admin") }
    }

    /// The host that was named, or the only running one.
    @EngineActor
    func client(in folder: AdminFolder = .standard()) async throws(AdminError) -> AdminClient {
        if let admin {
            return AdminClient(path: admin.hasPrefix("unix:") ? String(admin.dropFirst(5)) : admin)
        }
        // Another user could have made the folder, so its sockets can't be trusted.
        if folder.exists, let problem = folder.problem() { throw AdminError(2, problem) }
        folder.removeAbandoned()
        if let pid {
            guard LocalSocket.isAnswered(folder.socket(of: pid)) else {
                throw AdminError(3, "no running host has the process number \(pid) in \(folder.path)")
            }
            return AdminClient(path: folder.socket(of: pid))
        }
        let running = folder.processes().map(folder.socket(of:)).filter(LocalSocket.isAnswered)
        switch running.count {
        case 0:
            throw AdminError(
                3,
                """
                no running host found in \(folder.path)
                  hint: 'resthost run' starts one; one with an admin socket elsewhere is reached with --admin PATH
                """)
        case 1: return AdminClient(path: running[0])
        default: throw AdminError(2, await Self.choice(running))
        }
    }

    @EngineActor
    private static func choice(_ sockets: [String]) async -> String {
        var hosts: [RunningHost] = []
        for socket in sockets {
            let number = socket.split(separator: "/").last?.dropLast(5) ?? ""
            let status = try? await AdminClient(path: socket).successfulAnswer(to: "status", timeout: 2)
            hosts.append(RunningHost(number: String(number), status: status))
        }
        return "several hosts are running; choose one:\n"
            + TextColumns.text(RunningHost.rows(hosts)).trimmingNewline
    }
}

/// A host in a list of those that run.
struct RunningHost {
    /// Its process number.
    let number: String
    /// Its answer; nil when it doesn't answer.
    let status: Tree?

    /// A row for each. Hosts whose scripts have the same name have their folders, too.
    static func rows(_ hosts: [RunningHost]) -> [[String]] {
        let names = hosts.compactMap { $0.status?["script"]?.string }
        return hosts.map { host in
            guard let status = host.status, let script = status["script"]?.string else {
                return ["  --pid \(host.number)", "(it does not answer)", "up ?"]
            }
            var place = script
            if !script.hasPrefix("/"), names.count(where: { $0 == script }) > 1,
                let folder = status["folder"]?.string
            {
                place += " in \(folder)"
            }
            let uptime = status["uptime"]?.double.map { TimeSpan.text($0) } ?? "?"
            let addresses = status["gateway"]?["listening"]?.elements.compactMap(\.string) ?? []
            return ["  --pid \(host.number)", VisibleText.inline(place), "up \(uptime)"]
                + (addresses.isEmpty ? [] : [VisibleText.inline(addresses.joined(separator: ", "))])
        }
    }
}

extension AdminFolder {
    var exists: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}

extension String {
    fileprivate var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
