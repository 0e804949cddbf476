import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import SharedMemory

/// A server on the loopback whose every byte the test decides.
final class FakeRedis: Sendable {
    enum Answer: Sendable {
        case text(String)
        /// These bytes, and then the end of the connection.
        case last([UInt8])
        case silence
    }

    private struct State {
        var connections: [Int32] = []
        var commands: [[String]] = []
        var isClosed = false
    }

    private let listener: Int32
    let port: Int
    private let state = Mutex(State())
    private let answer: @Sendable ([String], FakeRedis) -> Answer

    /// - Parameter answer: For commands that are not of the greeting; nil for `HELLO` lets it succeed.
    init(_ answer: @escaping @Sendable ([String], FakeRedis) -> Answer) {
        (listener, port) = listenOnLoopback()
        self.answer = answer
        PeerThread.start { [weak self, listener] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                guard let self, self.add(socket) else {
                    closeSocket(socket)
                    return
                }
                PeerThread.start { [weak self] in self?.serve(socket) }
            }
        }
    }

    var address: String { "redis://127.0.0.1:\(port)" }

    /// The commands so far.
    var commands: [[String]] { state.withLock { $0.commands } }
    var connectionCount: Int { state.withLock { $0.connections.count } }

    private func add(_ socket: Int32) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.connections.append(socket)
            return true
        }
    }

    private func serve(_ socket: Int32) {
        var reader = RESPReader()
        while let bytes = receiveSome(from: socket) {
            reader.feed(bytes)
            while case .reply(let value)? = try? reader.next() {
                let words = value.elements?.compactMap(\.text) ?? []
                state.withLock { $0.commands.append(words) }
                switch answer(words, self) {
                case .text(let text): send(Array(text.utf8), socket)
                case .last(let bytes):
                    send(bytes, socket)
                    shutdown(socket, Int32(SHUT_RDWR))
                    return
                case .silence: break
                }
            }
        }
        shutdown(socket, Int32(SHUT_RDWR))
    }

    private func send(_ bytes: [UInt8], _ socket: Int32) {
        _ = bytes.withUnsafeBytes { sendAll($0, to: socket) }
    }

    /// Sends bytes to the newest connection, without a command.
    func push(_ text: String) {
        if let socket = state.withLock({ $0.connections.last }) { send(Array(text.utf8), socket) }
    }

    func close() {
        let sockets = state.withLock { state in
            defer { (state.connections, state.isClosed) = ([], true) }
            return state.isClosed ? [] : state.connections + [listener]
        }
        for socket in sockets {
            shutdown(socket, Int32(SHUT_RDWR))
            closeSocket(socket)
        }
    }

    deinit { close() }

    /// The answers of a server that is well, for what a greeting sends.
    static func greeting(_ words: [String]) -> Answer? {
        switch words.first {
        case "HELLO": .text("%1\r\n+proto\r\n:3\r\n")
        case "SELECT", "AUTH": .text("+OK\r\n")
        case "PING": .text("+PONG\r\n")
        default: nil
        }
    }
}

extension RedisClient {
    /// A client whose commands have much time, unless the test says less.
    static func patient(_ address: String, timeout: Double = 20) throws -> RedisClient {
        var settings = Settings(try RedisAddress(address), timeout: timeout)
        settings.rules.connectTimeout = 20
        return RedisClient(settings)
    }

    /// The outcome of a command: a value, or a failure.
    func outcome(_ command: RedisCommand, timeout: Double? = nil) async -> Result<RedisValue, RedisFailure>? {
        await waiting(for: "a reply") { done in
            Task { @EngineActor in self.send(command, timeout: timeout) { done($0) } }
        }
    }

    /// The kind of a command's failure; nil if it had a reply.
    func failure(_ command: RedisCommand, timeout: Double? = nil) async -> RedisFailure.Kind? {
        if case .failure(let failure) = await outcome(command, timeout: timeout) { failure.kind } else { nil }
    }
}
