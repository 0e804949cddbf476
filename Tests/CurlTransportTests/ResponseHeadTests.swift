import RestEngine
import Testing

@testable import CurlTransport

/// The handle's memory of an earlier head must not change the next one.
struct ResponseHeadTests {
    private static let lines = [
        "Server: one", "Date: Mon, 01 Jan 2024 00:00:00 GMT", "Date: Mon, 01 Jan 2024 00:00:01 GMT",
        "content-type: application/json", "Content-Length: 12", "Content-Length: 13",
        "Content-Encoding: gzip", "Set-Cookie: a=1", "Set-Cookie: b=2", "ETag:\t\"x\" ", " folded",
        "\tfolded too", "no field", ":",
        "X: ", "Long: \(String(repeating: "x", count: 3000))", "caf\u{e9}: \u{e9}",
    ]

    /// The fields of a head as one handle reads it, after any earlier heads.
    private func read(_ lines: [String], isDecoded: Bool, by head: inout ResponseHead) -> Headers {
        head.clear()
        for line in ["HTTP/1.1 200 OK"] + lines + [""] {
            Array((line + "\r\n").utf8).withUnsafeBytes { head.append($0) }
        }
        return head.headers(isDecoded: isDecoded)
    }

    @Test func `what was read before changes nothing`() {
        var random = SystemRandomNumberGenerator()
        var used = ResponseHead()
        for round in 0..<4000 {
            var lines: [String] = []
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                lines.append(Self.lines.randomElement(using: &random)!)
            }
            let isDecoded = Bool.random(using: &random)
            // Some heads are repeated, perhaps decoded this time.
            for _ in 0..<(round % 3 == 0 ? 2 : 1) {
                var new = ResponseHead()
                let expected = read(lines, isDecoded: isDecoded, by: &new)
                let found = read(lines, isDecoded: isDecoded, by: &used)
                #expect(found == expected, "\(lines)")
            }
            var new = ResponseHead()
            let expected = read(lines, isDecoded: !isDecoded, by: &new)
            #expect(used.headers(isDecoded: !isDecoded) == expected, "\(lines)")
        }
    }

    @Test func `a line that comes again keeps its text`() {
        var head = ResponseHead()
        let name = "Name: \(String(repeating: "v", count: 40))"
        let first = read([name, "Date: 1"], isDecoded: false, by: &head)
        let second = read([name, "Date: 2"], isDecoded: false, by: &head)
        #expect(first["Date"] == "1")
        #expect(second["Date"] == "2")
        #expect(address(of: first["Name"]) == address(of: second["Name"]))
    }

    /// The address of a long string's bytes.
    private func address(of text: String?) -> UnsafeRawPointer? {
        text?.utf8.withContiguousStorageIfAvailable { UnsafeRawPointer($0.baseAddress) } ?? nil
    }
}
