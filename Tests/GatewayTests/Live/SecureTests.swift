import NIOCore
import NIOEmbedded
import NIOSSL
import Platform
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Listeners that speak TLS (rules 61).
@Suite struct SecureTests {
    private static func reply(_ request: TransportRequest) -> TransportResult { .success(.stub("[1]")) }

    /// The files of a server, and other files of a test.
    private func folder() -> TemporaryFolder {
        let folder = TemporaryFolder()
        folder.write("server.pem", TestCertificates.server)
        folder.write("server.key", TestCertificates.serverKey)
        return folder
    }

    private func tls(_ folder: TemporaryFolder, _ name: String = "server") -> GatewayTLS {
        GatewayTLS(certificate: "\(folder.path)/\(name).pem", key: "\(folder.path)/\(name).key")
    }

    @Test func `61.1 TLS from 1.2 on is spoken where it is said, and a Unix socket speaks none`() async throws
    {
        let folder = folder()
        try await World.run(
            {
                $0.tls = tls(folder)
                $0.listen = ["127.0.0.1:0", "[::1]:0", "unix:\(folder.path)/a.sock"]
                $0.listenerTLS = ["[::1]:0": nil]
            }, automatic: Self.reply
        ) { _, site in
            for version in [SecureClient.Manner(highest: .tlsv12), .usual] {
                let client = try await SecureClient(port: site.port, version)
                #expect(try await client.get("/github/a").body == "[1]")
                #expect(try await client.get("/github/a")["Cache-Status"]?.contains("hit") == true)
            }
            await #expect(throws: (any Error).self) {
                _ = try await SecureClient(port: site.port, .init(lowest: .tlsv1, highest: .tlsv11))
            }
            #expect(site.gateway.secured == [site.addresses[0]])
            for plain in [
                try Client(port6: site.port(of: site.addresses[1])),
                try Client(path: "\(folder.path)/a.sock"),
            ] {
                try plain.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try plain.answer().body == "[1]")
            }
        }
    }

    @Test func `61.1 A client that only offers other protocols is refused`() async throws {
        let folder = folder()
        folder.write("authority.pem", TestCertificates.authority)
        for asksForCertificates in [false, true] {
            try await World.run(
                {
                    $0.tls = tls(folder)
                    guard asksForCertificates else { return }
                    $0.clientCertificates = GatewayClientCertificates(
                        authority: "\(folder.path)/authority.pem")
                }, automatic: Self.reply
            ) { _, site in
                for protocols in [["smtp"], ["acme-tls/1", "http/1.0"]] {
                    await #expect {
                        _ = try await SecureClient(port: site.port, .init(protocols: protocols))
                    } throws: { "\($0)".contains("NO_APPLICATION_PROTOCOL") }
                }
                let bytes = ClientHello(protocols: ["smtp"]).records(of: 50)
                for pieces in [[bytes], bytes.map { [$0] }] {
                    let client = try site.connect()
                    for piece in pieces { try client.send(piece) }
                    // A fatal alert (RFC 8446 6), and the end of the connection.
                    #expect(try client.rest() == [21, 3, 3, 0, 2, 2, 120])
                }
                for protocols in [[], ["http/1.1"], ["smtp", "http/1.1"]] where !asksForCertificates {
                    let client = try await SecureClient(port: site.port, .init(protocols: protocols))
                    #expect(try await client.get("/github/a").status == 200)
                }
            }
        }
    }

    @Test(arguments: [
        ("missing.pem", "server.key", "missing.pem", "No such file"),
        ("server.pem", "missing.key", "missing.key", "No such file"),
        ("server.key", "server.key", "server.key", "no certificate in PEM"),
        ("server.pem", "server.pem", "server.pem", "no private key in PEM"),
        ("server.pem", "second.key", "second.key", "not the key of the certificate"),
        ("server.pem", "encrypted.key", "encrypted.key", "passphrase"),
        ("empty.pem", "server.key", "empty.pem", "no certificate in PEM"),
        ("folder", "server.key", "folder", "directory"),
    ])
    func `61.2 A file that is of no use is named before anything starts`(
        _ certificate: String, _ key: String, _ blamed: String, _ why: String
    ) async {
        let folder = folder()
        folder.write("second.key", TestCertificates.secondKey)
        folder.write("encrypted.key", TestCertificates.encryptedKey)
        folder.write("empty.pem", "")
        folder.makeFolder("folder")
        var configuration = GatewayConfiguration()
        configuration.tls = GatewayTLS(
            certificate: "\(folder.path)/\(certificate)", key: "\(folder.path)/\(key)")
        #expect {
            try configuration.check()
        } throws: { error in
            "\(error)".hasPrefix("'\(folder.path)/\(blamed)' can't be used for TLS")
                && "\(error)".contains(why)
        }
    }

    @Test func `61.3 New files are for new connections, and broken ones for none`() async throws {
        let folder = folder()
        try await World.run({ $0.tls = tls(folder) }, automatic: Self.reply) { _, site in
            let first = try await SecureClient(port: site.port)
            #expect(
                try await first.serverCertificate() == SecureClient.certificate(TestCertificates.server))
            #expect(try await first.get("/github/a").status == 200)
            #expect(site.gateway.certificateFiles == [tls(folder).certificate, tls(folder).key])

            folder.write("server.pem", TestCertificates.second)
            await #expect(throws: GatewayError.self) { try await site.gateway.renewCertificates() }
            let second = try await SecureClient(port: site.port)
            #expect(
                try await second.serverCertificate() == SecureClient.certificate(TestCertificates.server))

            folder.write("server.key", TestCertificates.secondKey)
            try await site.gateway.renewCertificates()
            let third = try await SecureClient(port: site.port)
            #expect(
                try await third.serverCertificate() == SecureClient.certificate(TestCertificates.second))
            for client in [first, second, third] {
                #expect(try await client.get("/github/a").status == 200)
            }
        }
    }

    @Test func `61.4 A client that doesn't end its handshake in time is closed, and counts`() async throws {
        let folder = folder()
        let set: (inout GatewayConfiguration) -> Void = {
            $0.threads = 1
            $0.tls = tls(folder)
            $0.limits.headerTimeout = 60
            $0.limits.idleTimeout = 600
        }
        try await World.run(set, automatic: Self.reply) { _, site in
            let silent = try site.connect()
            let slow = try site.connect()
            // The head of a record that announces 512 bytes.
            try slow.send([22, 3, 1, 2, 0, 1])
            let client = try await SecureClient(port: site.port)
            #expect(try await client.get("/github/a").status == 200)
            #expect(site.gateway.connections == 3)
            await site.gateway.sweep(times: 40)
            try slow.send([0])
            #expect(try await client.get("/github/a").status == 200)
            await site.gateway.sweep(times: 30)
            #expect(try silent.isClosed())
            #expect(try slow.isClosed())
            #expect(try await client.get("/github/a").status == 200)
            #expect(site.gateway.connections == 1)
        }
    }

    @Test func `61.4 A client that doesn't speak TLS is closed`() async throws {
        let folder = folder()
        try await World.run({ $0.tls = tls(folder) }, automatic: Self.reply) { _, site in
            for text in [
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
                "SSH-2.0-x\r\n",
            ] {
                let client = try site.connect()
                try client.send(text)
                // An alert may come before the end.
                while (try? client.takeSome()) != nil {}
            }
            let client = try await SecureClient(port: site.port)
            #expect(try await client.get("/github/a").status == 200)
        }
    }

    @Test func `61.5 A long answer arrives whole, and waits in pieces for who takes it slowly`() async throws
    {
        let folder = folder()
        let long = String(repeating: "0123456789abcdef", count: 1 << 18)
        try await World.run(
            {
                $0.tls = tls(folder)
                $0.threads = 1
            }, automatic: { _ in .success(.stub(long, type: "text/plain")) }
        ) { _, site in
            let client = try await SecureClient(port: site.port)
            for _ in 0..<2 { #expect(try await client.get("/github/a").body == long) }
            try await client.pause()
            for _ in 0..<3 { try await client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            for _ in 0..<3 { #expect(try await client.answer().body == long) }
            // The answer ends with its connection.
            try await client.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(try await client.answer().body == long)
            #expect(await client.isClosed())
        }
    }

    @Test func `61.5 No more than a piece is given away while nothing is taken`() throws {
        let writer = PacedWriter()
        let channel = EmbeddedChannel(handler: writer)
        let promise = channel.eventLoop.makePromise(of: Void.self)
        channel.write(ByteBuffer(string: "head"), promise: nil)
        channel.write(ByteBuffer(repeating: 7, count: 200 << 10), promise: promise)
        channel.isWritable = false
        channel.flush()
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        #expect(writer.waitingBytes == (200 << 10) + 4)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        var sizes: [Int] = []
        while let part = try channel.readOutbound(as: ByteBuffer.self) { sizes.append(part.readableBytes) }
        #expect(sizes == [4, (64 << 10) - 4, 64 << 10, 64 << 10, (8 << 10) + 4])
        #expect(writer.waitingBytes == 0)
        try promise.futureResult.wait()
        channel.isWritable = false
        let lost = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(ByteBuffer(string: "x"), promise: lost)
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(throws: ChannelError.ioOnClosedChannel) { try lost.futureResult.wait() }
    }

    @Test func `61.6 An update brings TLS, changes it and takes it away, or does nothing`() async throws {
        let folder = folder()
        folder.write("second.pem", TestCertificates.second)
        folder.write("second.key", TestCertificates.secondKey)
        try await World.run(automatic: Self.reply) { _, site in
            let plain = try site.asking("/github/a")
            #expect(try plain.answer().status == 200)
            for name in ["server", "second"] {
                var update = GatewayConfiguration(listen: ["127.0.0.1:0"])
                update.tls = tls(folder, name)
                await site.gateway.commit(try site.gateway.prepare(update))
                let client = try await SecureClient(port: site.port)
                #expect(
                    try await client.serverCertificate()
                        == SecureClient.certificate(
                            name == "server" ? TestCertificates.server : TestCertificates.second))
                update.tls?.key = folder.path
                #expect(throws: GatewayError.self) { try site.gateway.prepare(update) }
                #expect(try await client.get("/github/a").status == 200)
            }
            try plain.send("GET /github/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try plain.answer().status == 200)
            let last = try site.gateway.prepare(GatewayConfiguration(listen: ["127.0.0.1:0"]))
            await site.gateway.commit(last)
            #expect(try site.get("/github/a").status == 200)
        }
    }
}
