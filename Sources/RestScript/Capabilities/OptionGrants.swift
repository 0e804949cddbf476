import LuaRuntime
import Platform
import RestEngine

extension ScriptContext {
    /// Turns the path or URL of an option into the form in which it is used. Throws when the script may not
    /// use it.
    func grant(_ access: OptionAccess, _ text: String) throws(LuaUsageError) -> String {
        switch access {
        case .readFile: return try grants.readablePath(text)
        case .writeFile: return try grants.writablePath(text)
        case .watchedFile:
            let path = try grants.readablePath(text)
            options.onFileReached?(path)
            return path
        case .database: return try grants.databasePath(text)
        case .socket: return try grants.socketPath(text)
        case .listen: return try grants.listenAddress(text)
        case .request:
            guard let url = URLText(text) else { throw LuaUsageError("'\(text)' is not a URL") }
            if case .scriptError(let refusal)? = services.refusalOfRequest(to: url) {
                throw LuaUsageError(refusal.message)
            }
            return text
        }
    }
}
