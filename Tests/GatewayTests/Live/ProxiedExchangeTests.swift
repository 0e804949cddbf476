import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Clients' bodies that are forwarded to the API as they arrive (rules 69), over real sockets.
@Suite struct ProxiedExchangeTests {
    @Test func `69.1 A body that is longer than is held goes along as it is wanted`() async throws {
        let (pieces, piece) = (1024, Array(repeating: UInt8(3), count: 64 << 10))
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: \(pieces * piece.count)"))
            BodyFlow.send(client) { send in for _ in 0..<pieces where !send(piece) { return } }
            let pipe = try await BodyFlow.pipe(world)
            #expect(pipe.length == Int64(pieces * piece.count))
            #expect(await world.transport.requests.last?.headers["Content-Type"] == "text/x")
            #expect(pipe.waitingBytes == 0, "nothing is taken before it is wanted")
            let taken = await BodyFlow.take(pipe)
            #expect(taken.isWhole && taken.count == 64 << 20 && taken.sum == 3 * (64 << 20))
            #expect(taken.most < 1 << 20)
            await world.reply("[1]")
            #expect(try client.answer().body == "[1]")
            // The connection goes on after the body.
            try client.send(BodyFlow.head("Content-Length: 2") + "{}")
            await world.transport.waitForRequests(2)
            #expect(await world.transport.requests.last?.body == Array("{}".utf8))
            await world.reply("[2]")
            #expect(try client.answer().body == "[2]")
        }
    }

    @Test func `69.1 A body in chunks goes along once it is longer than is held`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Transfer-Encoding: chunked"))
            BodyFlow.send(client) { send in
                let piece = Array(repeating: UInt8(1), count: 1000)
                for _ in 0..<300 where !send(Array("3e8\r\n".utf8) + piece + [13, 10]) { return }
                _ = send(Array("0\r\n\r\n".utf8))
            }
            let pipe = try await BodyFlow.pipe(world)
            #expect(pipe.length == nil)
            let taken = await BodyFlow.take(pipe)
            #expect(taken.isWhole && taken.count == 300_000 && taken.sum == 300_000)
            await world.reply("[1]")
            #expect(try client.answer().status == 200)
        }
    }

    @Test func `69.1 Extensions of chunks are not forwarded`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Transfer-Encoding: chunked"))
            BodyFlow.send(client) { send in
                let piece = Array(repeating: UInt8(1), count: 1000)
                for _ in 0..<300 where !send(Array("3e8;a=\"b;c\"\r\n".utf8) + piece + [13, 10]) { return }
                _ = send(
                    Array("0;last\r\n\r\n".utf8) + Array(BodyFlow.head("Content-Length: 2").utf8) + [
                        123, 125,
                    ])
            }
            let taken = await BodyFlow.take(try await BodyFlow.pipe(world))
            #expect(taken.isWhole && taken.count == 300_000 && taken.sum == 300_000)
            await world.reply("[1]")
            #expect(try client.answer().status == 200)
            await world.transport.waitForRequests(2)
            #expect(await world.transport.requests.last?.body == Array("{}".utf8))
            await world.reply("[2]")
            #expect(try client.answer().body == "[2]")
        }
    }

    @Test func `69.3 A client that asks gets 100 when the API takes the body`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: 100000\r\nExpect: 100-continue"))
            let first = try await BodyFlow.pipe(world)
            await world.reply(#"{"why":"no"}"#, status: 403)
            let refused = try client.answer()
            #expect(refused.status == 403 && refused["Connection"] == "close")
            #expect(!first.isSpent)
            let other = try site.connect()
            try other.send(BodyFlow.head("Content-Length: 100000\r\nExpect: 100-continue"))
            let pipe = try await BodyFlow.pipe(world, 2)
            if case .bytes = pipe.next() { Issue.record("nothing was sent yet") }
            #expect(try other.answer().status == 100)
            BodyFlow.send(other) { send in _ = send(Array(repeating: 1, count: 100_000)) }
            #expect(await BodyFlow.take(pipe).isWhole)
            await world.reply("[1]")
            #expect(try other.answer().status == 200)
        }
    }

    @Test func `69.3 A body beyond the limit is refused, announced or not`() async throws {
        try await BodyFlow.run({ $0.limits.maxStreamedBodyBytes = 200_000 }) { world, site in
            let announced = try site.connect()
            try announced.send(BodyFlow.head("Content-Length: 200001"))
            #expect(try announced.answer().status == 413)
            let client = try site.connect()
            try client.send(BodyFlow.head("Transfer-Encoding: chunked"))
            BodyFlow.send(client) { send in
                let piece = Array("3e8\r\n".utf8) + Array(repeating: UInt8(1), count: 1000) + [13, 10]
                for _ in 0..<300 where !send(piece) { return }
            }
            let taken = await BodyFlow.take(try await BodyFlow.pipe(world))
            #expect(!taken.isWhole && taken.count <= 200_000)
            #expect(try client.answer().problem("code") == "body_too_large")
            await world.transport.waitForOpenCalls(0)
        }
    }

    @Test func `69.5 An answer that comes before the body is whole goes out, and is the last`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: \(64 << 20)"))
            BodyFlow.send(client) { send in
                let piece = Array(repeating: UInt8(1), count: 64 << 10)
                for _ in 0..<1024 where !send(piece) { return }
            }
            _ = await BodyFlow.take(try await BodyFlow.pipe(world), most: 100_000)
            await world.reply(#"{"why":"long"}"#, status: 413)
            let answer = try client.answer()
            #expect(answer.status == 413 && answer.body == #"{"why":"long"}"#)
            #expect(answer["Connection"] == "close")
        }
    }

    @Test(arguments: [false, true])
    func `69.5 A client that leaves ends its request`(isUp: Bool) async throws {
        try await BodyFlow.run { world, site in
            do {
                let client = try site.connect()
                if isUp {
                    try client.send(BodyFlow.head("Content-Length: 100000"))
                    let pipe = try await BodyFlow.pipe(world)
                    try client.send(Array(repeating: UInt8(1), count: 1000))
                    #expect(await BodyFlow.take(pipe, most: 1000).count == 1000)
                } else {
                    try client.send("GET /github/files/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    await world.transport.waitForRequests(1)
                    await world.streamed().open(headers: [("Content-Length", "10")])
                    #expect(try client.headAlone().status == 200)
                }
            }
            if isUp {
                await world.transport.waitForOpenCalls(0)
            } else {
                await yielding(until: "the request is cancelled") { await world.streamed().isCancelled }
            }
            await world.settle()
        }
    }

    @Test func `69.5 Bytes behind a body without chunks don't belong to it`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Transfer-Encoding: chunked"))
            let part = "ffff\r\n" + String(repeating: "x", count: 0xFFFF) + "\r\n"
            try client.send(part + part)
            let pipe = try await BodyFlow.pipe(world)
            #expect(await BodyFlow.take(pipe, most: 0x1FFFE).count == 0x1FFFE)
            try client.send("5;a=\"b\r\nhello\r\n")
            #expect(try client.answer().status == 400)
            #expect(await !BodyFlow.take(pipe).isWhole)
        }
    }
}
