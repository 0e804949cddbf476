import Testing

@testable import RestEngine

/// Bodies of forms with parts (RFC 7578), limits L370 and L371.
struct MultipartReaderTests {
    /// The parts of a body whose bytes arrive in pieces of some length; whole by default.
    private func parts(_ text: String, boundary: String = "b", piece: Int = .max) -> [String] {
        var found: [String] = []
        do {
            var reader = try MultipartReader(boundary: boundary)
            var bytes = Array(text.utf8)
            var content: [UInt8] = []
            while true {
                switch try reader.next() {
                case .part(let part):
                    found.append("\(part.name)|\(part.filename ?? "-")|\(part.contentType)|")
                    content = []
                case .content(let bytes): content += bytes
                case .endOfPart: found[found.count - 1] += String(decoding: content, as: UTF8.self)
                case .end: return found
                case .nothing:
                    let next = bytes.prefix(piece)
                    bytes.removeFirst(next.count)
                    next.isEmpty ? reader.finish() : reader.add(Array(next))
                }
            }
        } catch { found.append("fault: \(error.message)") }
        return found
    }

    private static let two =
        "ignored\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n"
        + "--b \r\ncontent-disposition: form-data; filename=\"../x.txt\"; name=f\r\n"
        + "Content-Type: text/csv\r\n\r\n1,2\r\n--c\r\n\r\n--b--\r\nignored"

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `fields and files are read in order, however their bytes arrive`(piece: Int) {
        #expect(
            parts(Self.two, piece: piece)
                == ["a|-|text/plain|one", "f|x.txt|text/csv|1,2\r\n--c\r\n"])
    }

    @Test(arguments: [
        ("--b\r\n\r\n\r\n--b--", ["|-|text/plain|"]),
        ("--b\r\n\r\n--b--", ["|-|text/plain|"]),
        ("--b\r\nA: 1\r\n\r\n--b--", ["|-|text/plain|"]),
        ("--b--", []),
        (
            "--b\r\nContent-Disposition: form-data; name=\"a;\\\"b\\\\\"; x; filename=\"c:\\\\d%22.txt\"\r\n\r\n\r\n--b--",
            ["a;\"b\\|d\".txt|text/plain|"]
        ),
    ])
    func `empty parts, and names with quotes`(text: String, expected: [String]) {
        #expect(parts(text) == expected)
        #expect(parts(text, piece: 1) == expected)
    }

    @Test(arguments: [
        ("", "its boundary is nowhere in it"), ("--bx\r\n", "the line of a boundary does not end behind it"),
        ("--b\r\nA: 1", "the head of part 1 has no end, or is longer than 16 KiB"),
        ("--b\r\n\r\nx", "part 1 has no end"),
        ("--b\r\nA\r\n\r\n\r\n--b--", "a line in the head of part 1 has no colon"),
        (
            "--b\r\nA: " + String(repeating: "x", count: 16 << 10) + "\r\n\r\n\r\n--b--",
            "the head of part 1 has no end, or is longer than 16 KiB"
        ),
        (
            String(repeating: "--b\r\n\r\n\r\n", count: 1001) + "--b--", "it has more than 1000 parts"
        ),
    ])
    func `a broken body has a reason`(text: String, reason: String) {
        #expect(parts(text).last == "fault: \(reason)")
        #expect(parts(text, piece: 100).last == "fault: \(reason)")
    }

    @Test func `a boundary has a length, and a type names it`() {
        #expect(parts("", boundary: "").first?.contains("1 to 70") == true)
        #expect(parts("", boundary: String(repeating: "x", count: 71)).first?.contains("71") == true)
        #expect(MediaType.formBoundary(of: "Multipart/Form-Data; charset=x; Boundary=\"a b\"") == "a b")
        #expect(MediaType.formBoundary(of: "multipart/form-data;boundary=abc") == "abc")
        #expect(MediaType.formBoundary(of: "multipart/mixed; boundary=abc") == nil)
        #expect(MediaType.formBoundary(of: "multipart/form-data") == nil)
    }
}
