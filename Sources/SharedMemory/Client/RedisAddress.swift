internal import RestEngine

/// Where a server is, and how to log in: the text `redis://user:password@host:6379/0`, `rediss://…` with
/// TLS, or `unix:/path/redis.sock`. `redis+sentinel://user:password@host:26379/name/0` is a sentinel, which
/// knows where the primary of that name is; the login and the database are the primary's.
package struct RedisAddress: Sendable, Equatable, CustomStringConvertible {
    package enum Place: Sendable, Equatable {
        case network(host: String, port: Int)
        case socket(path: String)
    }

    /// Names the fault, without the text itself: it may contain a password.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    package let place: Place
    package let isSecure: Bool
    package let user: String?
    package let password: String?
    package let database: Int
    /// The name by which the sentinel knows the primary; nil for a server with data.
    package let primaryName: String?

    package static let form =
        "it looks like redis://user:password@host:6379/0, rediss://host (with TLS) or unix:/run/redis/redis.sock"
    package static let sentinelForm = "redis+sentinel://user:password@host:26379/name/0"

    /// A server that the sentinel of an address has named.
    package init(host: String, port: Int, namedBy sentinel: RedisAddress) {
        place = .network(host: host, port: port)
        (isSecure, user, password) = (sentinel.isSecure, sentinel.user, sentinel.password)
        (database, primaryName) = (sentinel.database, nil)
    }

    package init(_ text: String) throws(Fault) {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw Fault("it has a space or a control character; \(Self.form)")
        }
        guard !text.contains(",") else {
            throw Fault("it has a comma: write %2C in a password")
        }
        if let rest = text.dropping("unix:") {
            try self.init(socket: rest)
        } else if let rest = text.dropping("rediss://") {
            try self.init(network: rest, isSecure: true)
        } else if let rest = text.dropping("redis://") {
            try self.init(network: rest, isSecure: false)
        } else if let rest = text.dropping("rediss+sentinel://") {
            try self.init(network: rest, isSecure: true, isSentinel: true)
        } else if let rest = text.dropping("redis+sentinel://") {
            try self.init(network: rest, isSecure: false, isSentinel: true)
        } else if text.contains("sentinel") {
            throw Fault("a sentinel looks like \(Self.sentinelForm)")
        } else if text.contains("cluster") {
            throw Fault("a cluster is not supported; name one server, or a sentinel: \(Self.sentinelForm)")
        } else {
            throw Fault("its scheme is not one of redis, rediss, redis+sentinel and unix; \(Self.form)")
        }
    }

    private init(network rest: Substring, isSecure: Bool, isSentinel: Bool = false) throws(Fault) {
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw Fault(
                "it has a '?' or a '#', which such an address doesn't have: write %3F or %23 in a password")
        }
        let (authority, path) = rest.split(atFirst: "/")
        // A password may contain an @ by mistake; the last one is the end of it.
        let (login, host) = authority.split(atLast: "@")
        (user, password) = try Self.login(login)
        place = try Self.place(host, standardPort: isSentinel ? 26379 : 6379)
        self.isSecure = isSecure
        if isSentinel {
            let (name, number) = (path ?? "").split(atFirst: "/")
            primaryName = try Self.primaryName(name)
            database = try Self.database(number, after: "the name of the primary")
        } else {
            primaryName = nil
            database = try Self.database(path, after: "the host")
        }
    }

    private static func database(_ path: Substring?, after part: String) throws(Fault) -> Int {
        guard let path, !path.isEmpty else { return 0 }
        guard let number = number(path), number <= 1_000_000 else {
            throw Fault("behind \(part) stands the number of a database, such as /0")
        }
        return number
    }

    /// A sentinel allows more characters, but the name stands in a path here.
    private static func primaryName(_ text: Substring) throws(Fault) -> String {
        let isName = text.utf8.allSatisfy { byte in
            byte == 0x2D || byte == 0x2E || byte == 0x5F || (0x30...0x39).contains(byte)
                || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard isName, (1...128).contains(text.utf8.count) else {
            throw Fault(
                "behind the host of a sentinel stands the name of the primary, of letters, digits, '.', '_' and '-': "
                    + sentinelForm)
        }
        return String(text)
    }

    private init(socket rest: Substring) throws(Fault) {
        var rest = rest
        var login: Substring?
        if rest.hasPrefix("//") {
            (login, rest) = rest.dropFirst(2).split(atLast: "@")
        }
        (user, password) = try Self.login(login)
        primaryName = nil
        let (path, query) = rest.split(atFirst: "?")
        guard path.hasPrefix("/") else {
            throw Fault("behind unix: stands the whole path of a socket, such as unix:/run/redis/redis.sock")
        }
        // sockaddr_un has room for 107 bytes and the NUL (unix(7)).
        guard path.utf8.count <= 107 else { throw Fault("the path of a socket has 107 bytes at most") }
        guard let query else {
            (place, isSecure, database) = (.socket(path: String(path)), false, 0)
            return
        }
        guard let number = query.dropping("db=").flatMap(Self.number) else {
            throw Fault("behind the path of a socket may only stand ?db= and the number of a database")
        }
        (place, isSecure, database) = (.socket(path: String(path)), false, number)
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...7).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func place(_ text: Substring, standardPort: Int) throws(Fault) -> Place {
        var (host, port) = (text, Substring?.none)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else {
                throw Fault("a bracket of its host is not closed")
            }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw Fault("behind the bracket of its host stands something that is no port")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else {
            (host, port) = text.split(atFirst: ":")
        }
        guard !host.isEmpty, host.utf8.count <= 253 else { throw Fault("it has no host; \(form)") }
        guard let port else { return .network(host: String(host), port: standardPort) }
        guard let number = number(port), (1...65535).contains(number) else {
            throw Fault("its port is not a number from 1 to 65535")
        }
        return .network(host: String(host), port: number)
    }

    private static func login(_ text: Substring?) throws(Fault) -> (user: String?, password: String?) {
        guard let text else { return (nil, nil) }
        let (user, password) = text.split(atFirst: ":")
        guard let password else {
            throw Fault("before the @ stand a user and a password: user:password@ or :password@")
        }
        guard let user = PercentEncoding.decode(String(user)),
            let password = PercentEncoding.decode(String(password))
        else { throw Fault("its user or password has an escape that is not UTF-8") }
        if password.isEmpty { throw Fault("its password is empty") }
        return (user.isEmpty ? nil : user, password)
    }

    /// The address without user and password, for logs and errors.
    package var description: String {
        switch place {
        case .socket(let path): return "unix:\(path)" + (database == 0 ? "" : "?db=\(database)")
        case .network(let host, let port):
            let shown = host.contains(":") ? "[\(host)]" : host
            let scheme = (isSecure ? "rediss" : "redis") + (primaryName == nil ? "" : "+sentinel")
            return "\(scheme)://\(shown):\(port)/" + (primaryName.map { "\($0)/" } ?? "") + "\(database)"
        }
    }
}

extension RedisAddress.Fault {
    fileprivate init(_ description: String) { self.description = description }
}

extension StringProtocol where SubSequence == Substring {
    /// The rest behind a beginning, in any case; nil without it.
    fileprivate func dropping(_ beginning: String) -> Substring? {
        guard prefix(beginning.count).lowercased() == beginning else { return nil }
        return dropFirst(beginning.count)
    }

    /// The part before the character, or all; and the part behind it, if it is there.
    fileprivate func split(atFirst character: Character) -> (Substring, Substring?) {
        guard let place = firstIndex(of: character) else { return (self[...], nil) }
        return (self[..<place], self[index(after: place)...])
    }
}

extension Substring {
    /// The part before the last such character, if it is there; and the part behind it, or all.
    fileprivate func split(atLast character: Character) -> (Substring?, Substring) {
        guard let place = lastIndex(of: character) else { return (nil, self) }
        return (self[..<place], self[index(after: place)...])
    }
}
