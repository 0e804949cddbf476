import RestEngine
import TestSupport
import Testing

@testable import RestScript

struct LogLengthTests {
    @Test func `a text of up to 64 KiB is shown whole`() {
        let text = String(repeating: "ü", count: 32 << 10)
        #expect(ScriptLogEntry(level: .info, text: text).text == text)
    }

    @Test func `a longer text is cut between characters, with its length`() {
        let entry = ScriptLogEntry(level: .info, text: "a" + String(repeating: "日", count: 100_000))
        #expect(entry.text == "a" + String(repeating: "日", count: 21_845) + "… (cut: 300001 bytes in all)")
    }

    @Test func `text and fields share the length`() {
        let text = String(repeating: "x", count: 40 << 10)
        let entry = ScriptLogEntry(
            level: .info, text: text, fields: [("a", "1"), ("b", text), ("c", "2")])
        #expect(entry.text == text)
        #expect(entry.fields.map(\.value.utf8.count).reduce(0, +) < 30 << 10)
        #expect(entry.fields[0] == ("a", "1"))
        #expect(entry.fields[1].value.hasSuffix("x… (cut: 40960 bytes in all)"))
        #expect(entry.fields[2].value == "… (cut: 1 bytes in all)")
    }

    @Test func `more than 256 fields are counted`() throws {
        let fields = (0..<300).map { (name: "f\($0)", value: "v") }
        let entry = ScriptLogEntry(level: .info, text: "t", fields: fields)
        #expect(entry.fields.count == 257)
        #expect(try #require(entry.fields.last) == ("…", "44 more fields"))
    }

    @Test(arguments: [50_000, 65_500, 262_100, 262_140, 400_000])
    func `no part of a secret is shown where a text is cut`(place: Int) {
        let secret = "canary-5d41402abc4b2a76b9719d911017c592-of-log-length"
        SecretMask.hide(secret)
        let text = String(repeating: ".", count: place) + secret + String(repeating: ".", count: 200_000)
        let shown = ScriptLogEntry(level: .info, text: text, fields: [("f", text)])
        #expect(!shown.text.contains("canary") && !shown.fields[0].value.contains("canary"))
        // The mask shortens the text. A secret that the mask has only seen in part stays hidden.
        let masked = "https://a.test/?token=" + String(repeating: "t", count: place)
        let moved = ScriptLogEntry(level: .info, text: masked + " " + text)
        #expect(!moved.text.contains("canary") && !moved.text.contains("ttt"))
    }
}
