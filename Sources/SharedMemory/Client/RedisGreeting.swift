/// The first commands of a connection: it asks for version 3 of the protocol, logs in, and selects the
/// database. Servers before version 6 don't know `HELLO`, and get `AUTH`. Pure.
package struct RedisGreeting: Sendable {
    package enum Step: Sendable, Equatable {
        case wait
        case send([RedisCommand])
        /// With the version of the protocol.
        case done(version: Int)
        case failed(RedisFailure)
    }

    private enum Expected { case hello, authorization, name, selection }

    private let address: RedisAddress
    private var expected: [Expected] = []
    private var version = 2

    package init(_ address: RedisAddress) { self.address = address }

    package mutating func begin() -> [RedisCommand] {
        var words: [RedisCommand.Argument] = ["HELLO", "3"]
        if let password = address.password {
            words += ["AUTH", .text(address.user ?? "default"), .text(password)]
        }
        words += ["SETNAME", .text(Self.name)]
        expected = [.hello]
        return [RedisCommand(words)] + select()
    }

    /// For `CLIENT LIST`, so that an operator can tell connections apart.
    private static let name = "resthost"

    private mutating func select() -> [RedisCommand] {
        guard address.database != 0 else { return [] }
        expected.append(.selection)
        return [RedisCommand("SELECT", .integer(address.database))]
    }

    package mutating func receive(_ reply: RedisValue) -> Step {
        guard !expected.isEmpty else {
            return .failed(RedisFailure(.protocol, "the server sent a reply that no command asked for"))
        }
        let step = expected.removeFirst()
        if case .error(let text) = reply {
            switch step {
            case .hello where Self.isOld(text):
                // The reply to SELECT may be a refusal, because there was no login before it.
                let ignored = expected.count
                let commands = beginOld()
                expected.insert(contentsOf: Array(repeating: .name, count: ignored), at: 0)
                return commands.isEmpty && expected.isEmpty ? .done(version: 2) : .send(commands)
            // Old servers have no names for connections, and a user may lack the right to set one.
            case .name: break
            default: return .failed(RedisFailure(reply: text))
            }
        } else if step == .hello {
            version = 3
        }
        return expected.isEmpty ? .done(version: version) : .wait
    }

    private mutating func beginOld() -> [RedisCommand] {
        expected = []
        var commands: [RedisCommand] = []
        if let password = address.password {
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
