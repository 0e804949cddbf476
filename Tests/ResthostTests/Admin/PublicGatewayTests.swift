import Gateway
import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

@EngineActor
struct PublicGatewayTests {
    private let folder = TemporaryFolder()
    private let hosts = Hosts()

    /// Scripts are closed on their own thread.
    @EngineActor
    private final class Hosts {
        var all: [ScriptHost] = []

        func close() {
            for host in all { host.close() }
            all = []
        }
    }

    private struct OneScript: GatewayDirectory {
        let host: ScriptHost

        func service(named name: String) -> Service? { host.service(named: name) }
        var serviceNames: [String] { host.services.map(\.name) }
        var health: GatewayHealth { GatewayHealth() }
    }

    private func host(_ gateway: String) throws -> ScriptHost {
        folder.write(
            "main.lua",
            """
            local rest = require "resthost"
            rest.service { name = "api", base_url = "http://127.0.0.1:1" }
            \(gateway)
            """)
        let host = try ScriptHost(path: folder.path + "/main.lua", engine: HostEngine.make(log: LogText()))
        hosts.all.append(host)
        return host
    }

    private func gateway(_ host: ScriptHost) -> PublicGateway {
        let facts = HostFacts(process: 1, uptime: 0, script: "", folder: "", generationAge: 0)
        return PublicGateway(
            directory: OneScript(host: host),
            control: RunControl(load: { $0(.success(.init(generation: 1, seconds: 0))) }, facts: { facts }),
            listen: [], threads: 1, drain: 0)
    }

    private var socket: String { "unix:\(folder.path)/a.sock" }
    private var other: String { "unix:\(folder.path)/b.sock" }

    @Test func `resthost.toml says where it listens, in place of the script`() throws {
        defer { hosts.close() }
        folder.write("resthost.toml", "[gateway]\nlisten = \"\(socket)\"\nbody = \"1KiB\"")
        let quiet = try host("")
        let alone = try GatewaySettings.configuration(for: quiet, listen: [], threads: nil)
        #expect(alone?.listen == [socket] && alone?.limits.maxBodyBytes == 1024)
        let script = "rest.gateway { listen = '127.0.0.1:1', limits = { body = 5, connections = 6 } }"
        let both = try GatewaySettings.configuration(for: try host(script), listen: [], threads: nil)
        #expect(both?.listen == [socket] && both?.limits.maxBodyBytes == 1024)
        #expect(both?.limits.maxConnections == 6)
        let asked = try GatewaySettings.configuration(for: quiet, listen: [other], threads: 3)
        #expect(asked?.listen == [other] && asked?.threads == 3)
        folder.write("resthost.toml", "[gateway]\nbody = true")
        #expect(throws: Diagnostic.self) {
            try GatewaySettings.configuration(for: quiet, listen: [], threads: nil)
        }
    }

    @Test func `an address of resthost.toml that can't be is reported with its line`() throws {
        defer { hosts.close() }
        folder.write("resthost.toml", "[gateway]\nthreads = 1\nlisten = \"nowhere\"")
        let declared = try host("rest.gateway { listen = '127.0.0.1:1' }")
        do throws(Diagnostic) {
            _ = try GatewaySettings.configuration(for: declared, listen: [], threads: nil)
            Issue.record("it was taken")
        } catch {
            #expect(error.file == folder.path + "/resthost.toml" && error.line == 3, "\(error)")
        }
        folder.write("resthost.toml", "[gateway]\nlisten = \"unix:\(folder.path)/none/a\"")
        do throws(Diagnostic) {
            _ = try gateway(declared).prepare(for: declared)
            Issue.record("it was taken")
        } catch {
            #expect(error.file == folder.path + "/resthost.toml" && error.line == 2, "\(error)")
        }
    }

    @Test func `a gateway comes, moves and goes with the script`() async throws {
        defer { hosts.close() }
        let first = try host("")
        let gateway = gateway(first)
        gateway.commit(try gateway.prepare(for: first))
        #expect(!gateway.isRunning)

        gateway.commit(try gateway.prepare(for: host("rest.gateway { listen = \"\(socket)\" }")))
        #expect(gateway.isRunning)
        #expect(gateway.listening == [socket])

        let moved = try host("rest.gateway { listen = \"\(other)\" }")
        gateway.discard(try gateway.prepare(for: moved))
        #expect(gateway.listening == [socket])
        #expect(folder.names(in: "") == ["a.sock", "main.lua"])
        #expect(gateway.commit(try gateway.prepare(for: moved)) == [other])
        #expect(gateway.commit(try gateway.prepare(for: moved)) == [])
        #expect(gateway.listening == [other])
        #expect(folder.names(in: "") == ["b.sock", "main.lua"])

        gateway.commit(try gateway.prepare(for: first))
        #expect(!gateway.isRunning)
        #expect(gateway.listening.isEmpty)
        _ = await gateway.stop(drain: 0)
    }

    @Test func `what can't be listened on is the script's error, and changes nothing`() async throws {
        defer { hosts.close() }
        let good = try host("rest.gateway { listen = \"\(socket)\" }")
        let gateway = gateway(good)
        gateway.commit(try gateway.prepare(for: good))
        let cases = [
            ("rest.gateway { listen = \"unix:\(folder.path)/nowhere/a.sock\" }", "does not exist"),
            ("rest.gateway { listen = \"nonsense\" }", "is no address to listen on"),
            ("rest.gateway { expose = { b = {} } }", "exposes 'b'"),
            (
                "rest.gateway { tls = { certificate = \"main.lua\", key = \"main.lua\" } }",
                "main.lua' can't be used for TLS: it has no certificate in PEM"
            ),
        ]
        for (script, message) in cases {
            let bad = try host(script)
            do throws(Diagnostic) {
                _ = try gateway.prepare(for: bad)
                Issue.record("\(script) is no error")
            } catch {
                #expect(error.message.contains(message))
                #expect(error.line == 3)
            }
        }
        #expect(gateway.listening == [socket])
        _ = await gateway.stop(drain: 0)
        #expect(gateway.listening.isEmpty)
    }
}
