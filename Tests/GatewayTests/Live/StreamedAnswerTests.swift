import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// The API's bodies that go to clients as they arrive (rules 69), over real sockets.
@Suite struct StreamedAnswerTests {
    @Test func `69.2 The body of a success comes as the API sends it, and is kept nowhere`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            for (number, length) in [(1, nil), (2, "10")] {
                try client.send("GET /github/files/a?b=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                await world.transport.waitForRequests(number)
                let stream = await world.streamed()
                #expect(await stream.request.headers["Accept-Encoding"] == "identity")
                var fields = [("ETag", "\"a\""), ("Set-Cookie", "a=b")]
                if let length { fields.append(("Content-Length", length)) }
                await stream.open(200, type: "application/x-tar", headers: fields)
                let head = try client.headAlone()
                #expect(head.status == 200 && head["Content-Type"] == "application/x-tar")
                #expect(head["Cache-Control"] == "no-store" && head["Set-Cookie"] == nil)
                #expect(head["Content-Length"] == length)
                #expect(head["Transfer-Encoding"] == (length == nil ? "chunked" : nil))
                #expect(head["ETag"] == (length == nil ? nil : "\"a\""))
                _ = await stream.send("01234")
                #expect(
                    try client.bytes(length == nil ? 10 : 5) == (length == nil ? "5\r\n01234\r\n" : "01234"))
                _ = await stream.send("56789")
                await stream.end()
                await world.settle()
                #expect(
                    try client.bytes(length == nil ? 15 : 5)
                        == (length == nil ? "5\r\n56789\r\n0\r\n\r\n" : "56789"))
            }
            #expect(await world.transport.requests.count == 2)
        }
    }

    @Test func `53.1 69.2 A client that prefers events gets states, from an ordinary load`() async throws {
        try await BodyFlow.run { world, site in
            let stream = try StreamTests.open(site, "/github/files/a")
            await world.transport.waitForRequests(1)
            #expect(try stream.head()["Content-Type"] == "text/event-stream")
            #expect(try stream.event().name == "state")
            #expect(try stream.event().name == "requested")
            await world.reply(#"{"a":1}"#)
            #expect(try stream.event().data.hasPrefix(#"{"data":{"a":1},"#))
            #expect(await world.transport.streamed.streams.isEmpty)
        }
    }

    @Test func `69.5 As many bytes as were announced are the end for the client`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            for number in 1...2 {
                try client.send("GET /github/files/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                await world.transport.waitForRequests(number)
                let stream = await world.streamed()
                await stream.open(headers: [("Content-Length", "10")])
                _ = await stream.send("0123456789")
                #expect(try client.answer().body == "0123456789")
            }
            // The second request was accepted behind the first one, which hasn't ended.
            await world.settle()
            #expect(await world.transport.streamed.streams.first?.isCancelled == false)
        }
    }

    @Test func `69.2 The API waits for a client that takes nothing, and everything arrives`() async throws {
        try await BodyFlow.run { world, site in
            let client = try Client(port: site.port, receiveBuffer: 4096)
            try client.send("GET /github/files/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await world.transport.waitForRequests(1)
            let total = 64 << 20
            let stream = await world.streamed()
            await stream.open(headers: [("Content-Length", "\(total)")])
            let piece = Array(repeating: UInt8(7), count: 64 << 10)
            var (sent, isHeld, resumed) = (0, false, 0)
            // The system's buffers hold some megabytes.
            for _ in 0..<1_000_000 where !isHeld {
                resumed = await stream.resumptions
                isHeld = await !stream.send(piece)
                sent += piece.count
                for _ in 0..<2000 where isHeld {
                    await Task.yield()
                    if await stream.resumptions > resumed { isHeld = false }
                }
            }
            #expect(isHeld && sent < total / 2)
            var (received, end) = (0, 0)
            _ = try client.headAlone()
            while received < total {
                if received < sent {
                    received += try client.takeAll()
                } else if isHeld {
                    try #require(await stream.goesOn(beyond: resumed))
                }
                guard sent < total, await stream.resumptions > resumed || !isHeld else { continue }
                resumed = await stream.resumptions
                isHeld = await !stream.send(piece)
                sent += piece.count
                end = sent
            }
            #expect(received == total && end == total)
            await stream.end()
            await world.settle()
        }
    }

    @Test func `69.2 A body that the API codes all the same keeps coding, length, part and tag`() async throws
    {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(
                "GET /github/files/a HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-4\r\n\r\n")
            await world.transport.waitForRequests(1)
            let stream = await world.streamed()
            #expect(stream.takesCodedBody)
            await stream.open(
                206,
                headers: [
                    ("Content-Encoding", "gzip"), ("Content-Range", "bytes 0-4/10"), ("ETag", "\"a\""),
                    ("Content-Length", "5"),
                ])
            _ = await stream.send("01234")
            await stream.end()
            await world.settle()
            let answer = try client.answer()
            #expect(answer.status == 206 && answer["Content-Encoding"] == "gzip")
            #expect(answer["Content-Length"] == "5" && answer["Content-Range"] == "bytes 0-4/10")
            #expect(answer["ETag"] == "\"a\"" && answer.body == "01234")
        }
    }

    @Test func `50.6 69.2 A failure of a read with a header of forward is the API's, a network's a problem`()
        async throws
    {
        try await BodyFlow.run({ $0.forwardedHeaders = ["X-Tenant"] }) { world, site in
            for (number, isOwn) in [(1, true), (3, false)] {
                let fields = isOwn ? "X-Tenant: a\r\n" : ""
                let client = try site.connect()
                let head = "GET /github/files/a HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
                try client.send(head)
                await world.transport.waitForRequests(number)
                await world.streamed().complete(
                    .success(.stub("<Code>NoSuchKey</Code>", status: 404, type: "application/xml")))
                await world.settle()
                let answer = try client.answer()
                #expect(answer.status == 404)
                #expect(answer["Content-Type"] == (isOwn ? "application/xml" : "application/problem+json"))
                #expect((answer.body == "<Code>NoSuchKey</Code>") == isOwn)
                try client.send(head)
                await world.transport.waitForRequests(number + 1)
                await world.streamed().complete(
                    .failure(TransportError(.connectionFailed, message: "refused")))
                await world.settle()
                let failed = try client.answer()
                #expect(failed.status == 502 && failed["Content-Type"] == "application/problem+json")
            }
        }
    }

    @Test func `69.2 A failure is whole, and a problem`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.asking("/github/files/a")
            await world.transport.waitForRequests(1)
            await world.streamed().complete(.success(.stub(#"{"a":1}"#, status: 404)))
            await world.settle()
            let answer = try client.answer()
            #expect(answer.status == 404 && answer["Content-Type"] == "application/problem+json")
            let cached = try site.get("/github/files/a", fields: ["Cache-Control: only-if-cached"])
            #expect(cached.status == 504)
        }
    }

    @Test(arguments: [nil, "10"])
    func `69.5 An answer that breaks off has no end`(length: String?) async throws {
        for version in ["1.1", "1.0"] {
            try await BodyFlow.run { world, site in
                let client = try site.connect()
                try client.send("GET /github/files/a HTTP/\(version)\r\nHost: localhost\r\n\r\n")
                await world.transport.waitForRequests(1)
                let stream = await world.streamed()
                await stream.open(headers: length.map { [("Content-Length", $0)] } ?? [])
                let head = try client.headAlone()
                let isChunked = length == nil && version == "1.1"
                #expect(head["Transfer-Encoding"] == (isChunked ? "chunked" : nil))
                _ = await stream.send("01234")
                #expect(try client.bytes(isChunked ? 10 : 5).contains("01234"))
                await stream.complete(
                    .failure(TransportError(.connectionFailed, phase: .receive, message: "cut")))
                await world.settle()
                #expect(try client.isClosed())
                #expect(client.wasReset == (length == nil && version == "1.0"))
            }
        }
    }

    @Test func `69.8 A part is the API's to find, and of HEAD there is only the head`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(
                "GET /github/files/a HTTP/1.1\r\nHost: localhost\r\nRange: bytes=5-\r\nIf-Range: \"a\"\r\n\r\n"
            )
            await world.transport.waitForRequests(1)
            let part = await world.streamed()
            #expect(await part.request.headers["Range"] == "bytes=5-")
            #expect(await part.request.headers["If-Range"] == "\"a\"")
            await part.open(206, headers: [("Content-Range", "bytes 5-9/10"), ("Content-Length", "5")])
            _ = await part.send("56789")
            await part.end()
            await world.settle()
            let answer = try client.answer()
            #expect(
                answer.status == 206 && answer["Content-Range"] == "bytes 5-9/10" && answer.body == "56789")
            try client.send("HEAD /github/files/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await world.transport.waitForRequests(2)
            let head = await world.streamed()
            #expect(await head.request.method == "HEAD")
            await head.open(headers: [("Content-Length", "1000")])
            await head.end()
            await world.settle()
            #expect(try client.answer(isHead: true)["Content-Length"] == "1000")
            try client.send("POST /github/files/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await world.transport.waitForRequests(3)
            await world.streamed().open(204)
            await world.streamed().end()
            await world.settle()
            #expect(try client.answer().status == 204)
        }
    }

    @Test func `69.2 Both bodies go at once`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: 100000", "/github/files/a"))
            await world.transport.waitForRequests(1)
            let stream = await world.streamed()
            guard case .stream(let pipe)? = await stream.request.upload else {
                Issue.record("the body was held")
                return
            }
            if case .bytes = pipe.next() { Issue.record("nothing was sent yet") }
            await stream.open(headers: [("Content-Length", "4")])
            #expect(try client.headAlone()["Connection"] == "close")
            _ = await stream.send("ab")
            #expect(try client.bytes(2) == "ab")
            BodyFlow.send(client) { send in _ = send(Array(repeating: 1, count: 100_000)) }
            #expect(await BodyFlow.take(pipe).isWhole)
            _ = await stream.send("cd")
            await stream.end()
            await world.settle()
            #expect(try client.bytes(2) == "cd")
            #expect(try client.isClosed())
        }
    }
}
