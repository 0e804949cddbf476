import NIOCore
import Testing

@testable import Gateway

@Suite struct AnswerBodyTests {
    @Test(arguments: [0, 1, AnswerBody.largestJoined])
    func `A small body goes out with its head`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for body in [AnswerBody(bytes), .buffer(ByteBuffer(bytes: bytes))] {
            var head = ByteBuffer(string: "head")
            #expect(body.join(&head) == nil)
            #expect(Array(head.readableBytesView) == Array("head".utf8) + bytes)
            #expect(body.count == count && body.joinedCount == count)
        }
    }

    @Test func `A larger one goes out as it is`() {
        let body = AnswerBody([UInt8](repeating: 7, count: AnswerBody.largestJoined + 1))
        var head = ByteBuffer(string: "head")
        #expect(body.join(&head)?.readableBytes == AnswerBody.largestJoined + 1)
        #expect(String(buffer: head) == "head" && body.joinedCount == 0)
    }

    @Test(arguments: [100, AnswerBody.largestJoined + 100]) func `A part is those bytes`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let range = count - 60..<count - 10
        var head = ByteBuffer()
        let part = try #require(AnswerBody(bytes)[range])
        #expect(part.count == 50 && part.join(&head) == nil)
        #expect(Array(head.readableBytesView) == Array(bytes[range]))
    }
}
