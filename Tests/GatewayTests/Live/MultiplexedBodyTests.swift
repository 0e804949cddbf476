import NIOCore
import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Bodies that are forwarded over HTTP/2 streams as they arrive (rule 69.9).
@Suite struct MultiplexedBodyTests {
    private func run(_ body: (World, Site) async throws -> Void) async throws {
        try await MultiplexingTests().run(
            {
                $0.limits.maxBodyBytes = BodyFlow.held
                $0.limits.maxStreamedBodyBytes = 1 << 30
            }, automatic: nil
        ) { world, site in
            try await world.configure("/files/**") { $0.stream = .body }
            try await body(world, site)
        }
    }

    @Test func `69.9 A client's body goes along, announced or not`() async throws {
        try await run { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let part = Array(repeating: UInt8(1), count: 64 << 10)
            for (number, fields) in [(1, [("content-length", "\(2 << 20)")]), (2, [])] {
                let head = MultiplexedClient.head("POST", "/github/a", fields)
                let (answer, _) = try await client.begin(head, body: Array(repeating: part, count: 32))
                let pipe = try await BodyFlow.pipe(world, number)
                #expect(pipe.length == (fields.isEmpty ? nil : 2 << 20))
                let taken = await BodyFlow.take(pipe)
                #expect(taken.isWhole && taken.count == 2 << 20 && taken.sum == 2 << 20)
                #expect(taken.most < 1 << 20)
                await world.reply("[1]")
                #expect(try await answer.get().body == "[1]")
            }
        }
    }

    @Test func `69.9 An answer goes along, and what breaks off resets the stream`() async throws {
        try await run { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let head = MultiplexedClient.head("GET", "/github/files/a")
            for (number, length) in [(1, nil), (2, "10")] {
                let (answer, _) = try await client.begin(head)
                await world.transport.waitForRequests(number)
                let stream = await world.streamed()
                await stream.open(headers: length.map { [("Content-Length", $0)] } ?? [])
                for text in ["01234", "56789"] { _ = await stream.send(text) }
                await stream.end()
                await world.settle()
                let whole = try await answer.get()
                #expect(whole.body == "0123456789" && whole["transfer-encoding"] == nil)
            }
            for (number, length) in [(3, nil), (4, "10")] {
                let (answer, _) = try await client.begin(head)
                await world.transport.waitForRequests(number)
                let stream = await world.streamed()
                await stream.open(headers: length.map { [("Content-Length", $0)] } ?? [])
                _ = await stream.send("01234")
                await stream.complete(
                    .failure(TransportError(.connectionFailed, phase: .receive, message: "cut")))
                await world.settle()
                await #expect(throws: (any Error).self) { try await answer.get() }
            }
        }
    }

    @Test func `63.6 Requests that come while the gateway stops may be sent again elsewhere`() async throws {
        try await MultiplexingTests().run(automatic: nil) { world, site in
            let client = try await SecureClient(port: site.port, .init(protocols: ["h2"]))
            try await client.send(HostileFrames.preface + HostileFrames.frame(1, 5, 1, HostileFrames.get))
            await world.transport.waitForRequests(1)
            async let stopping: Void = site.stop()
            // The gateway first announces that it stops. After the client's answer it names the last stream
            // that it accepts (RFC 9113 6.8).
            #expect(await client.frame(7, on: 0) != nil)
            let ping = try #require(await client.frame(6, on: 0))
            try await client.send(HostileFrames.frame(1, 5, 3, HostileFrames.get))
            #expect(await client.frame(3, on: 3) == [0, 0, 0, 7], "REFUSED_STREAM")
            try await client.send(HostileFrames.frame(6, 1, 0, ping))
            #expect(await client.frame(7, on: 0)?.suffix(4) == [0, 0, 0, 0], "NO_ERROR")
            await world.reply("[1]")
            #expect(await client.frame(0, on: 1) == Array("[1]".utf8))
            await stopping
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test func `63.1 The rest of an unneeded body is no error`() async throws {
        try await run { world, site in
            let client = try await SecureClient(port: site.port, .init(protocols: ["h2"]))
            // `POST` with `content-length: 2147483648` (RFC 7541 A, 6.2.2).
            let head = [0x83] + HostileFrames.get.dropFirst() + [0x0F, 0x0D, 10] + Array("2147483648".utf8)
            try await client.send(HostileFrames.preface + HostileFrames.frame(1, 4, 1, head))
            #expect(await client.frame(1, on: 1) != nil)
            #expect(String(decoding: await client.frame(0, on: 1) ?? [], as: UTF8.self).contains("413"))
            #expect(await client.frame(3, on: 1) == [0, 0, 0, 0], "NO_ERROR")
            #expect(await world.transport.requests.isEmpty)
        }
    }

    @Test func `69.9 A client that leaves with all announced bytes lets the transfer end by itself`()
        async throws
    {
        try await run { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let head = MultiplexedClient.head("GET", "/github/files/a")
            let (answer, channel) = try await client.begin(head)
            await world.transport.waitForRequests(1)
            let stream = await world.streamed()
            await stream.open(headers: [("Content-Length", "10")])
            _ = await stream.send("0123456789")
            #expect(try await answer.get().body == "0123456789")
            try await patiently("the stream's end", giveUp: { channel.close(promise: nil) }) {
                try await channel.closeFuture.get()
            }
            // The gateway ends this stream before it can begin another.
            let (_, _) = try await client.begin(head)
            await world.transport.waitForRequests(2)
            await world.settle()
            #expect(await !stream.isCancelled)
            await stream.end()
        }
    }

    @Test func `69.9 A client's window is the pace`() async throws {
        try await run { world, site in
            let client = try await MultiplexedClient(port: site.port)
            let (answer, channel) = try await client.begin(MultiplexedClient.head("GET", "/github/files/a"))
            try await channel.setOption(.autoRead, value: false).get()
            await world.transport.waitForRequests(1)
            let total = 8 << 20
            let stream = await world.streamed()
            await stream.open(headers: [("Content-Length", "\(total)")])
            let piece = Array(repeating: UInt8(7), count: 64 << 10)
            var (sent, isHeld) = (0, false)
            while !isHeld, sent < total {
                let resumed = await stream.resumptions
                isHeld = await !stream.send(piece)
                sent += piece.count
                for _ in 0..<5000 where isHeld {
                    await Task.yield()
                    if await stream.resumptions > resumed { isHeld = false }
                }
            }
            #expect(isHeld && sent < 2 << 20)
            try await channel.setOption(.autoRead, value: true).get()
            channel.read()
            while sent < total {
                let resumed = await stream.resumptions
                sent += piece.count
                if await stream.send(piece) { continue }
                try #require(await stream.goesOn(beyond: resumed), "\(sent) bytes were sent")
            }
            await stream.end()
            await world.settle()
            #expect(try await answer.get().body.utf8.count == total)
        }
    }
}
