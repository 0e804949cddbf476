/// One host function with what its error messages call it. Lua holds the only reference.
final class HostBox {
    /// Decides where arguments begin and how errors speak of them.
    enum Role {
        case function, method, field
    }

    let name: String
    let role: Role
    let className: String
    let function: HostFunction

    init(name: String, role: Role, className: String = "", function: @escaping HostFunction) {
        self.name = name
        self.role = role
        self.className = className
        self.function = function
    }
}
