import LuaRuntime
import RestEngine

/// Checks every path and every host that a script names before it is used. Only this type asks
/// ``ScriptPermissions`` about them.
@EngineActor
final class ScriptGrants {
    private(set) var permissions: ScriptPermissions
    /// The script's own folder. Paths that the script names are relative to it.
    let folder: String
    let refusedVariables = VariableRefusals()
    private let options: ScriptOptions
    /// Origins that requests may go to. Each is checked once, because a further service can only add to them.
    /// The set is dropped when permissions are narrowed.
    private var allowedOrigins: Set<String> = []
    private static let mostAllowedOrigins = 256
    /// The last URL that was allowed: a resource is often requested many times in a row.
    private var lastAllowed = ""

    init(_ options: ScriptOptions, folder: String) {
        self.options = options
        self.folder = folder
        permissions = ScriptPermissions(options, folder: folder)
    }

    func narrow(_ narrowing: ScriptPermissions.Narrowing) throws(LuaUsageError) {
        try permissions.narrow(narrowing)
        allowedOrigins = []
        lastAllowed = ""
    }

    // MARK: Variables

    /// The value of an environment variable; nil when it is not set, or not granted.
    func variable(_ name: String) -> String? {
        permissions.refusalOfVariable(name) == nil ? options.environment[name] : nil
    }

    /// `os.getenv` returned nil for want of a grant. Libraries request variables that they can do without, so
    /// this is a log entry and not an error.
    func reportRefusal(_ name: String, _ place: (file: String, line: Int)?) {
        guard let refusal = permissions.refusalOfVariable(name),
            let entry = refusedVariables.entry(name, refusal, place: place.map { "\($0.file):\($0.line)" })
        else { return }
        options.log(entry)
    }

    // MARK: Paths

    /// A path that the script names, relative to the script's own folder.
    func path(named text: String) -> String {
        text.hasPrefix("/") || folder == "." ? text : "\(folder)/\(text)"
    }

    /// The path of a file to be read.
    func readablePath(_ text: String) throws(LuaUsageError) -> String {
        try path(named: text, for: "reading", unless: permissions.refusalToRead)
    }

    /// The path of a file to be written.
    func writablePath(_ text: String) throws(LuaUsageError) -> String {
        try path(named: text, for: "writing", unless: permissions.refusalToWrite)
    }

    private func path(
        named text: String, for deed: String, unless refusal: (String) -> String?
    ) throws(LuaUsageError) -> String {
        let path = path(named: text)
        if let refusal = refusal(path) { throw LuaUsageError("\(deed) '\(path)' is not allowed: \(refusal)") }
        return path
    }

    /// The path of a database, which is read and written. It has no links, because it may be opened later.
    func databasePath(_ text: String) throws(LuaUsageError) -> String {
        let path = path(named: text)
        guard !path.utf8.contains(0) else { throw LuaUsageError("a path can't contain a NUL") }
        switch (permissions.refusalToRead(path), permissions.refusalToWrite(path)) {
        case (nil, nil): break
        case (let read?, nil): throw LuaUsageError("reading '\(path)' is not allowed: \(read)")
        case (nil, let write?): throw LuaUsageError("writing '\(path)' is not allowed: \(write)")
        case (let read?, let write?):
            let grant = "grant it with "
            let both =
                read.hasPrefix(grant) && write.hasPrefix(grant)
                ? "\(write) \(read.dropFirst(grant.count))" : write.hasPrefix(grant) ? read : write
            throw LuaUsageError("reading and writing '\(path)' is not allowed: \(both)")
        }
        return ResolvedPath.resolve(path) ?? path
    }

    /// The path of a file whose content goes into a request. The request fails when the script may not read
    /// it.
    func uploadPath(_ text: String) -> Result<String, RequestError.CauseError> {
        let path = path(named: text)
        guard let refusal = permissions.refusalToRead(path) else { return .success(path) }
        return .failure(
            RequestError.CauseError(
                .unreadableFile(FileError(path: path, reason: "it is not allowed: \(refusal)"))))
    }

    /// The path of a socket to connect to.
    func socketPath(_ text: String) throws(LuaUsageError) -> String {
        try path(named: text, for: "connecting to the socket", unless: permissions.refusalOfSocket)
    }

    /// An address to listen at. For `unix:` the socket is made in the file system.
    func listenAddress(_ text: String) throws(LuaUsageError) -> String {
        guard text.hasPrefix("unix:"), text.utf8.count > "unix:".utf8.count else { return text }
        _ = try path(
            named: String(text.dropFirst("unix:".count)), for: "listening on the socket",
            unless: permissions.refusalToWrite)
        return text
    }

    // MARK: Hosts

    /// A proxy for all requests of a service; the empty text means none.
    ///
    /// - Parameters:
    ///   - base: The base URL of the service.
    ///   - declared: The base URLs of the other services.
    func proxy(_ text: String, for base: URLText?, declared: [URLText]) throws(LuaUsageError) -> String {
        guard !text.isEmpty else { return text }
        guard let proxy = ProxyAddress(text) else {
            throw LuaUsageError(
                "option 'transport.proxy' is not a proxy: it looks like \"http://proxy.example.com:3128\" or "
                    + "\"socks5h://127.0.0.1:1080\", with user:password@ before the host if need be")
        }
        if let refusal = permissions.refusalOfProxy(
            proxy, declared: declared + (base.map { [$0] } ?? []))
        {
            throw LuaUsageError(
                "requests through the proxy \(proxy.host):\(proxy.port) are not allowed: \(refusal)")
        }
        return text
    }

    /// The cause of failure for a request to a URL that the script may not use; nil when it may.
    func refusalOfRequest(
        to url: URLText, declared: @autoclosure () -> [URLText]
    ) -> RequestError.Cause? {
        if url.string == lastAllowed { return nil }
        let origin = url.origin ?? ""
        if allowedOrigins.contains(origin) {
            lastAllowed = url.string
            return nil
        }
        guard let refusal = permissions.refusalOfRequest(to: url, declared: declared()) else {
            if allowedOrigins.count >= Self.mostAllowedOrigins { allowedOrigins = [] }
            allowedOrigins.insert(origin)
            return nil
        }
        return .scriptError(
            RequestError.ScriptFailure(message: "requests to \(url.string) are not allowed: \(refusal)"))
    }
}
