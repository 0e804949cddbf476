import LuaRuntime
import RestEngine

/// The permissions of a script: the grants from outside, minus those that the script gave up by
/// `rest.permissions`.
struct ScriptPermissions {
    /// One call of `rest.permissions`; nil leaves a kind as it was.
    struct Narrowing {
        var read: [String]?
        var write: [String]?
        var variables: Set<String>?
        var hosts: [HostGrant]?
        var place: String
    }

    let granted: Capabilities
    /// The folder of the script, which may be read and written by default.
    let folder: String
    /// Names that were granted; nil grants every name.
    let grantedVariables: Set<String>?
    private var narrowings: [Narrowing] = []
    /// Limits of the items in one list (limit L280) and of calls (L281). Each request and each file is
    /// compared with all of them.
    static let mostItems = 1000
    static let mostNarrowings = 100

    init(_ options: ScriptOptions, folder: String) {
        self.folder = folder
        granted = options.capabilities
        grantedVariables = options.grantedEnvironment
    }

    mutating func narrow(_ narrowing: Narrowing) throws(LuaUsageError) {
        guard narrowings.count < Self.mostNarrowings else {
            throw LuaUsageError(
                "rest.permissions was called \(Self.mostNarrowings) times already: one call can say it all")
        }
        narrowings.append(narrowing)
    }

    // Each of these functions returns the reason of a refusal, or the grant that would allow the use, to
    // follow "… is not allowed: ". It returns nil when the use is allowed.

    func refusalToRead(_ path: String) -> String? {
        refusal(path, granted.read, flag: "--allow-read", field: "read", \.read)
    }

    func refusalToWrite(_ path: String) -> String? {
        for place in [path, ResolvedPath.resolve(path) ?? path] {
            let name = place.split(separator: "/").last?.lowercased()
            if name == Self.settingsName { return "it could grant the script more" }
        }
        return refusal(path, granted.write, flag: "--allow-write", field: "write", \.write)
    }

    /// The name of the file beside a script that may grant permissions to it.
    static let settingsName = "resthost.toml"

    func refusalOfVariable(_ name: String) -> String? {
        if let grantedVariables, !grantedVariables.contains(name) {
            return "grant it with --allow-env \(name)"
        }
        return narrowings.first { $0.variables.map { !$0.contains(name) } ?? false }.map {
            Self.givenUp($0, "env")
        }
    }

    /// - Parameter declared: The base URLs of the script's services.
    func refusalOfRequest(to url: URLText, declared: [URLText]) -> String? {
        guard let host = url.host else { return nil }
        let name = url.port.map { "\(host):\($0)" } ?? host
        switch granted.hosts {
        case .all: break
        case .declared where declared.contains { HostGrant($0)?.covers(url) ?? false }: break
        case .declared:
            return "no service of the script has this host; grant it with --allow-net \(name)"
        case .only(let hosts) where hosts.contains { $0.covers(url) }: break
        case .only(let hosts):
            return Self.grant(hosts, name)
        }
        return narrowings.first { $0.hosts.map { !$0.contains { $0.covers(url) } } ?? false }.map {
            Self.givenUp($0, "net")
        }
    }

    /// - Parameter declared: The base URLs of all services, including the one that uses the proxy.
    func refusalOfProxy(_ proxy: ProxyAddress, declared: [URLText]) -> String? {
        func covers(_ hosts: [HostGrant]) -> Bool {
            hosts.contains { $0.covers(host: proxy.host, port: proxy.port) }
        }
        let name = "\(proxy.host):\(proxy.port)"
        switch granted.hosts {
        case .all: break
        case .declared:
            let hosts = declared.compactMap { HostGrant($0) }
            // Named hosts replace the declared hosts.
            if !covers(hosts) {
                return Self.grant(declared.compactMap { $0.host.flatMap { HostGrant($0) } }, name)
            }
        case .only(let hosts): if !covers(hosts) { return Self.grant(hosts, name) }
        }
        return narrowings.first { $0.hosts.map { !covers($0) } ?? false }.map { Self.givenUp($0, "net") }
    }

    /// Whether the hosts that the script may reach are named one by one.
    var namesHosts: Bool {
        if case .only = granted.hosts { return true }
        return narrowings.contains { $0.hosts != nil }
    }

    /// A server that the script itself declares, as it declares services.
    func refusalOfServer(host: String, port: Int) -> String? {
        // Grants write an IPv6 address in brackets.
        let host = host.contains(":") ? "[\(host)]" : host
        if case .only(let hosts) = granted.hosts,
            !hosts.contains(where: { $0.covers(host: host, port: port) })
        {
            return Self.grant(hosts, "\(host):\(port)")
        }
        return narrowings.first { narrowing in
            narrowing.hosts.map { !$0.contains { $0.covers(host: host, port: port) } } ?? false
        }.map { Self.givenUp($0, "net") }
    }

    private static func grant(_ hosts: [HostGrant], _ name: String) -> String {
        "grant it with --allow-net \((hosts.map(\.description) + [name]).joined(separator: ","))"
    }

    /// A socket can lead to any host. So when hosts were named one by one, it has to be among them; otherwise
    /// it counts as a file that is written, as in the system.
    func refusalOfSocket(_ path: String) -> String? {
        if case .only(let hosts) = granted.hosts {
            if !hosts.contains(where: { $0.coversSocket(path) }) { return Self.grant(hosts, "unix:\(path)") }
        } else if let refusal = refusalToWrite(path) {
            return refusal
        }
        return narrowings.first { $0.hosts.map { !$0.contains { $0.coversSocket(path) } } ?? false }
            .map { Self.givenUp($0, "net") }
    }

    private func refusal(
        _ path: String, _ paths: Capabilities.Paths, flag: String, field: String,
        _ narrowed: KeyPath<Narrowing, [String]?>
    ) -> String? {
        let grant = "grant it with \(flag) \(path)"
        // The file itself is checked, not the path that leads to it.
        guard let place = ResolvedPath.resolve(path) else {
            guard case .all = paths else { return grant }
            return narrowings.first { $0[keyPath: narrowed] != nil }.map { Self.givenUp($0, field) }
        }
        switch paths {
        case .all: break
        case .below(let roots): if !Self.isBelow(roots, place) { return grant }
        case .scriptFolder(let also):
            let isInFolder =
                ResolvedPath.isInSight(place, below: folder)
                && (field == "read" || !ResolvedPath.isProgram(place))
            if !isInFolder, !Self.isBelow(also, place) { return grant }
        }
        return narrowings.first { narrowing in
            narrowing[keyPath: narrowed].map { !$0.contains { ResolvedPath.isBelow(place, $0) } } ?? false
        }.map { Self.givenUp($0, field) }
    }

    private static func isBelow(_ roots: [String], _ place: String) -> Bool {
        roots.contains { ResolvedPath.isBelow(place, $0) }
    }

    private static func givenUp(_ narrowing: Narrowing, _ field: String) -> String {
        "rest.permissions at \(narrowing.place) leaves it out of '\(field)'"
    }
}
