import Platform
import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite struct UpdateLoadTests {
    @Test func `Five hundred updates under load fail no request and drop no connection`() async throws {
        let path = "/tmp/resthost-update-load-\(getpid()).sock"
        let load = Load()
        try await World.run(
            { $0.threads = 2 }, automatic: { _ in .success(.stub("[1]")) }
        ) { world, site in
            let clients = try (0..<4).map { _ in try site.connect() }
            let ends = clients.map { client in
                let end = Gate()
                let client = NonisolatedClient(client)
                PeerThread.start {
                    while !load.isOver.load(ordering: .relaxed) {
                        let status = try? client.status(of: "/github/a")
                        if status == 200 {
                            load.answered.add(1, ordering: .relaxed)
                        } else {
                            load.failed.add(1, ordering: .relaxed)
                        }
                        if status == nil { break }
                    }
                    end.open()
                }
                return end
            }
            for number in 0..<500 {
                var update = GatewayConfiguration(listen: ["127.0.0.1:0"])
                if number % 2 == 0 { update.listen.append("unix:" + path) }
                if number % 3 == 0 { update.expose = ["github": ExposeRule(paths: ["/a"])] }
                if number % 5 == 0 { update.serverNames = ["other.internal"] }
                let prepared = try site.gateway.prepare(update)
                if number % 7 == 0 {
                    site.gateway.discard(prepared)
                } else {
                    await site.gateway.commit(prepared)
                }
                if number % 11 == 0 { await world.replace("github", "https://api.github.com/v\(number)") }
            }
            load.isOver.store(true, ordering: .relaxed)
            for end in ends { await end.opened() }
        }
        #expect(load.failed.load(ordering: .relaxed) == 0)
        #expect(load.answered.load(ordering: .relaxed) > 0)
        #expect(access(path, F_OK) != 0)
    }
}

/// The results of clients on other threads.
private final class Load: Sendable {
    let isOver = Atomic(false)
    let answered = Atomic(0)
    let failed = Atomic(0)
}

/// A client that moves to another thread, and is no longer used on this one.
private final class NonisolatedClient: @unchecked Sendable {
    private let client: Client

    init(_ client: Client) { self.client = client }

    func status(of target: String) throws -> Int {
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try client.answer().status
    }
}
