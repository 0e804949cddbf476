import ArgumentParser
import Platform
import RestEngine

struct InstallServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install-service",
        abstract: "Write the files that systemd needs to run a script.",
        discussion: """
            Writes NAME.service, and with --listen NAME.socket: then systemd listens, starts the host at the first connection, \
            and loses no connection during a restart. The command enables and starts nothing; it prints the commands that do.

            Examples:
              resthost install-service /srv/shop/main.lua --name shop --listen 127.0.0.1:8080
              resthost install-service main.lua --user
              resthost install-service main.lua --print
              resthost install-service main.lua -- --drain-delay 10 --operator 127.0.0.1:9091
            """)

    @Argument(help: ArgumentHelp("The script.", valueName: "script"), completion: Completions.script)
    var script: String

    @Option(
        help: ArgumentHelp("The name of the service; default: the script's folder.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp("Have systemd listen here; may be repeated.", valueName: "host:port | unix:path"))
    var listen: [String] = []

    @Flag(help: "For this user, in ~/.config/systemd/user, and not for the system.")
    var user = false

    @Flag(help: "Write to standard output, and no files.")
    var print = false

    @Flag(help: "Replace files that are there.")
    var force = false

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Options of run for the host, behind --.", valueName: "option"))
    var options: [String] = []

    func validate() throws {
        if let name, !Self.isName(name) {
            throw ValidationError("--name may have letters, digits, '-', '_' and '.'")
        }
        for address in listen {
            do throws(ListenAddress.Fault) { _ = try ListenAddress(address) } catch {
                throw ValidationError("--listen \(address): \(error.why)")
            }
        }
    }

    /// The command that the service runs. Throws for options that `run` doesn't take.
    private func parsed(_ script: String) throws -> RunCommand {
        guard let run = try Resthost.parseAsRoot(["run", script] + options) as? RunCommand else {
            throw ValidationError("behind -- are options of run, and these are for help")
        }
        return run
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count < 200 && name.first != "."
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                    || "-_.".unicodeScalars.contains($0)
            }
    }

    func run() throws {
        guard NewFile.exists(script) else {
            Streams.error(Complaint.text("there is no script '\(script)'"))
            throw ExitCode(2)
        }
        let script = script.hasPrefix("/") ? script : WorkingFolder.path + "/" + script
        let folder = script.split(separator: "/").dropLast().last.map(String.init) ?? ""
        let run = try parsed(script)
        let unit = ServiceUnit(
            name: name ?? (Self.isName(folder) ? folder : "resthost"), program: Self.program, script: script,
            listen: listen, isUsers: user, options: options,
            stopSeconds: Int((run.drain ?? RunEnd.Times.usualDrain) + (run.drainDelay ?? 0)) + 10)
        var files = [("\(unit.name).service", unit.service)]
        if let socket = unit.socket { files.append(("\(unit.name).socket", socket)) }
        if print {
            Streams.output(content: Array(files.map { "# \($0)\n\($1)" }.joined(separator: "\n").utf8))
            return
        }
        try write(files, unit)
    }

    private func write(_ files: [(name: String, text: String)], _ unit: ServiceUnit) throws {
        let place = user ? Self.userFolder : "/etc/systemd/system"
        let paths = files.map { "\(place)/\($0.name)" }
        let taken = paths.filter(NewFile.exists)
        guard taken.isEmpty || force else {
            Streams.error(
                Complaint.text("there are already: \(taken.joined(separator: ", "))")
                    + "  hint: choose another --name, or replace them with --force\n")
            throw ExitCode(2)
        }
        do throws(FileError) {
            for (path, file) in zip(paths, files) { try NewFile.write(file.text, to: path) }
        } catch {
            Streams.error(
                Complaint.text("\(error)")
                    + (user
                        ? ""
                        : "  hint: run it as root, or for this user with --user; --print shows the files\n"))
            throw ExitCode(2)
        }
        let systemctl = user ? "systemctl --user" : "systemctl"
        let started = unit.socket == nil ? "\(unit.name).service" : "\(unit.name).socket \(unit.name).service"
        Streams.output(
            "wrote \(paths.joined(separator: " and "))\n  \(systemctl) daemon-reload\n"
                + "  \(systemctl) enable --now \(started)\n")
    }

    private static var userFolder: String {
        let home = getenv("HOME").map { String(cString: $0) } ?? "."
        let settings = getenv("XDG_CONFIG_HOME").map { String(cString: $0) } ?? home + "/.config"
        return settings + "/systemd/user"
    }

    /// The path of this program.
    private static var program: String {
        guard let path = realpath("/proc/self/exe", nil) else { return "/usr/bin/resthost" }
        defer { free(path) }
        return String(cString: path)
    }
}
