/// The first commands of a connection: it asks for version 3 of the protocol, logs in, and selects the
/// database. Servers before version 6 don't know `HELLO`, and get `AUTH`. It asks one server of several for
/// its role, and a sentinel for the primary. Pure.
package struct RedisGreeting: Sendable {
    package enum Step: Sendable, Equatable {
        case wait
        case send([RedisCommand])
        /// With the version of the protocol.
        case done(version: Int)
        case failed(RedisFailure)
        /// The sentinel has named the primary.
        case named(host: String, port: Int)
    }

    private enum Expected { case hello, authorization, name, selection, role, primary }

    private let address: RedisAddress
    private var question: Expected?
    private var expected: [Expected] = []
    private var version = 2

    /// - Parameter asksRole: A server that is no primary is a failure.
    package init(_ address: RedisAddress, asksRole: Bool = false) {
        self.address = address
        question = address.primaryName != nil ? .primary : asksRole ? .role : nil
    }

    /// The login of a sentinel's address is the primary's.
    private var password: String? { address.primaryName == nil ? address.password : nil }

    package mutating func begin() -> [RedisCommand] {
        var words: [RedisCommand.Argument] = ["HELLO", "3"]
        if let password {
            words += ["AUTH", .text(address.user ?? "default"), .text(password)]
        }
        words += ["SETNAME", .text(Self.name)]
        expected = [.hello]
        return [RedisCommand(words)] + select()
    }

    /// For `CLIENT LIST`, so that an operator can tell connections apart.
    private static let name = "resthost"

    private mutating func select() -> [RedisCommand] {
        guard address.database != 0, address.primaryName == nil else { return [] }
        expected.append(.selection)
        return [RedisCommand("SELECT", .integer(address.database))]
    }

    package mutating func receive(_ reply: RedisValue) -> Step {
        guard !expected.isEmpty else {
            return .failed(RedisFailure(.protocol, "the server sent a reply that no command asked for"))
        }
        let step = expected.removeFirst()
        switch step {
        case .role: return RedisRole(reply).failure.map { .failed($0) } ?? answer(to: reply)
        case .primary: return primary(reply)
        default: break
        }
        if case .error(let text) = reply {
            switch step {
            case .hello where Self.isOld(text):
                // The reply to SELECT may be a refusal, because there was no login before it.
                let ignored = expected.count
                let commands = beginOld()
                expected.insert(contentsOf: Array(repeating: .name, count: ignored), at: 0)
                return commands.isEmpty && expected.isEmpty ? end() : .send(commands)
            // Old servers have no names for connections, and a user may lack the right to set one.
            case .name: break
            default: return .failed(RedisFailure(reply: text))
            }
        } else if step == .hello {
            version = 3
        }
        return expected.isEmpty ? end() : .wait
    }

    /// The greeting is over, or one question is left.
    private mutating func end() -> Step {
        guard let asked = question else { return .done(version: version) }
        question = nil
        expected = [asked]
        guard let name = address.primaryName else { return .send([RedisRole.question]) }
        return .send([RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", .text(name))])
    }

    private func answer(to role: RedisValue) -> Step {
        // A user who may not ask can still use the server. Another error, such as LOADING, is one.
        if case .error(let text) = role, !text.hasPrefix("NOPERM") {
            return .failed(RedisFailure(reply: text))
        }
        return .done(version: version)
    }

    /// The answer of a sentinel (redis.io/docs/latest/develop/reference/sentinel-clients).
    private func primary(_ reply: RedisValue) -> Step {
        switch reply {
        case .error(let text) where text.hasPrefix("ERR unknown command"):
            return .failed(RedisFailure(.unreachable, "it is no sentinel"))
        case .error(let text): return .failed(RedisFailure(reply: text))
        case .null:
            return .failed(
                RedisFailure(.unreachable, "the sentinel knows no primary \(address.primaryName ?? "")"))
        default:
            guard let parts = reply.elements, parts.count == 2, let host = parts[0].text, !host.isEmpty,
                host.utf8.count <= 253, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
                let port = parts[1].integer, (1...65535).contains(port)
            else {
                return .failed(RedisFailure(.protocol, "the answer of the sentinel has another form"))
            }
            return .named(host: host, port: Int(port))
        }
    }

    private mutating func beginOld() -> [RedisCommand] {
        expected = []
        var commands: [RedisCommand] = []
        if let password {
            expected.append(.authorization)
            let user = address.user.map { [RedisCommand.Argument.text($0)] } ?? []
            commands.append(RedisCommand(["AUTH"] + user + [.text(password)]))
        }
        return commands + select()
    }

    /// An error of a server that speaks version 2 alone.
    private static func isOld(_ text: String) -> Bool {
        text.hasPrefix("NOPROTO") || text.hasPrefix("ERR unknown command")
            || text.hasPrefix("ERR Protocol version")
    }
}
