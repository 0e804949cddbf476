import Platform
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Both ends of a body that is forwarded by a gateway: the test is the API.
enum BodyFlow {
    static let held = 64 << 10

    static func run(
        _ configure: @escaping (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (World, Site) async throws -> Void
    ) async throws {
        try await World.run(
            {
                $0.threads = 1
                $0.expose = ["github": ExposeRule(methods: ["GET", "HEAD", "POST", "PUT"])]
                $0.limits.maxBodyBytes = held
                $0.limits.maxStreamedBodyBytes = 1 << 30
                configure(&$0)
            }
        ) { world, site in
            try await world.configure("/files/**") { $0.stream = .body }
            try await body(world, site)
        }
    }

    /// Sends from another thread, because sending blocks while the gateway takes no bytes.
    static func send(_ client: Client, _ pieces: @escaping @Sendable (_ send: ([UInt8]) -> Bool) -> Void) {
        let sender = client.sender
        PeerThread.start { pieces(sender.send) }
    }

    static func head(_ fields: String, _ target: String = "/github/a") -> String {
        "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/x\r\n\(fields)\r\n\r\n"
    }

    static func pipe(_ world: World, _ number: Int = 1) async throws -> BodyPipe {
        await world.transport.waitForRequests(number)
        guard case .stream(let pipe)? = await world.transport.requests.last?.upload else {
            throw Client.Failure(what: "the body was held")
        }
        return pipe
    }

    struct Taken {
        var count = 0
        var sum = 0
        /// The largest number of bytes that were ahead of the reader.
        var most = 0
        var isWhole = false
    }

    static func take(
        _ pipe: BodyPipe, most: Int = .max, at location: SourceLocation = #_sourceLocation
    ) async -> Taken {
        var taken = Taken()
        while taken.count < most {
            var part = BodyPipe.Step<[UInt8]>.nothing
            await yielding(until: "more of a body comes", at: location) {
                taken.most = max(taken.most, pipe.waitingBytes)
                part = pipe.next()
                if case .nothing = part { return false }
                return true
            }
            switch part {
            case .bytes(let bytes):
                taken.count += bytes.count
                for byte in bytes { taken.sum &+= Int(byte) }
            case .end:
                taken.isWhole = true
                return taken
            case .nothing, .broken: return taken
            }
        }
        return taken
    }
}

extension World {
    /// The newest answer that goes to a receiver.
    @EngineActor
    func streamed() -> StreamTransport.Stream {
        transport.streamed.streams[transport.streamed.streams.count - 1]
    }
}
