/// The reason why a script was loaded.
enum ReloadTrigger: Sendable, Equatable, CustomStringConvertible {
    case start
    /// These files changed.
    case files([String])
    case signal
    /// `POST /-/reload`, and with it `resthost reload`.
    case request
    /// The `:reload` of a repl.
    case user

    var description: String {
        switch self {
        case .start: "at the start"
        case .files(let paths):
            switch paths.count {
            case 0: "a file changed"
            case 1: "\(paths[0]) changed"
            default: "\(paths[0]) and \(paths.count - 1) more changed"
            }
        case .signal: "at SIGHUP"
        case .request: "on request"
        case .user: "in the repl"
        }
    }
}

extension ReloadTrigger {
    /// One trigger for two that came before the reload.
    func merged(with other: ReloadTrigger?) -> ReloadTrigger {
        if case .files(let new) = self, case .files(let old)? = other {
            return .files(old + new.filter { !old.contains($0) })
        }
        return self
    }
}
