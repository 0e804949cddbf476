import Testing

@testable import RestEngine

/// Bodies of forms with parts (RFC 7578), limits L370 and L371.
struct MultipartReaderTests {
    private func parts(_ text: String, boundary: String = "b") -> [String] {
        var found: [String] = []
        do {
            let bytes = Array(text.utf8)
            var reader = try MultipartReader(bytes, boundary: boundary)
            while let part = try reader.next() {
                let body = String(decoding: bytes[part.body], as: UTF8.self)
                found.append("\(part.name)|\(part.filename ?? "-")|\(part.contentType)|\(body)")
            }
        } catch { found.append("fault: \(error.message)") }
        return found
    }

    @Test func `fields and files are read in order`() {
        #expect(
            parts(
                "ignored\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n"
                    + "--b \r\ncontent-disposition: form-data; filename=\"../x.txt\"; name=f\r\n"
                    + "Content-Type: text/csv\r\n\r\n1,2\r\n--c\r\n\r\n--b--\r\nignored")
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
