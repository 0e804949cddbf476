import RestEngine
import TestSupport
import Testing

struct Base64FuzzTests {
    @Test func `bytes survive, with padding, without, and in the URL alphabet`() throws {
        var generator = SeededRandom(seed: 1)
        for _ in 0..<5_000 {
            let bytes = generator.bytes(upTo: 70)
            let text = Base64.encode(bytes)
            #expect(text.utf8.count == (bytes.count + 2) / 3 * 4)
            let bare = text.replacing("=", with: "")
            let url = bare.replacing("+", with: "-").replacing("/", with: "_")
            for form in [text, bare, url] { #expect(try Base64.decode(Array(form.utf8)).get() == bytes) }
        }
    }

    @Test func `any text is decoded or refused, and what is decoded encodes back`() {
        var generator = SeededRandom(seed: 2)
        let alphabet = Array("ABCabc019+/-_==".utf8)
        for round in 0..<20_000 {
            var text = generator.bytes(upTo: 12)
            if round % 2 == 0 { text = text.map { alphabet[Int($0) % alphabet.count] } }
            guard case .success(let bytes) = Base64.decode(text) else { continue }
            let again = Base64.encode(bytes)
            #expect(Base64.decode(Array(again.utf8)) == .success(bytes))
            #expect(
                text.filter { $0 != UInt8(ascii: "=") }.count
                    == again.utf8.filter { $0 != UInt8(ascii: "=") }.count)
        }
    }

    @Test(arguments: [
        "=", "==", "===", "A", "A=", "A==", "A===", "AA=", "AAA==", "AAAA=", "AA===", "A A=", "é", "AAAAA",
    ])
    func `what can't be base64 is refused`(text: String) {
        #expect(throws: Base64.DecodingError.self) { try Base64.decode(Array(text.utf8)).get() }
    }
}
